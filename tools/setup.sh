# shellcheck shell=bash
# shellcheck disable=SC2154 # root and deps come from common.sh
# Set-up: makes sure that compiler, build tools and libraries are there before a command needs them.
#
# Debian 12 and 13 are set up by themselves. What the machine's own suites hold is installed with apt (root only).
# What they do not hold is fetched from Debian's other suites into .deps/, through a private apt state: the
# system's sources stay as they are, and apt still checks every signature and hash. A part is unpacked in a
# temporary folder and then moved into place in one step, so an interrupted run leaves nothing half-installed.
# Nothing here touches the network, or calls apt, when everything is already there.
#
#   .deps/cmake/usr/bin/cmake    .deps/boost/usr/include    .deps/ut/usr/include    .deps/nanobench/include

cmake_minimum=3.28
boost_minimum=108100
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# nanobench has no package of its own; the unmodified header is part of this source package.
nanobench_source=litecoin
nanobench_member=src/bench/nanobench.h
nanobench_sha256=e2add669d685002fc7c0b8b82fc53daa74f86fbc7b5e5979d724475bbd7530e4

build_packages=(clang-19 clang-tools-19 libc++-19-dev libc++abi-19-dev lld-19 libclang-rt-19-dev ninja-build)
lint_packages=(clang-tidy-19 clang-format-19 shellcheck)
sanitize_packages=(llvm-19)
coverage_packages=(llvm-19)
matrix_packages=(debootstrap gpgv)
plots_packages=(gnuplot-nox)
# What the unpacked CMake of bookworm-backports links with; a minimal Debian 12 lacks most of it.
cmake_libraries=(libarchive13 libcurl4 libexpat1 libjsoncpp25 librhash0 libuv1 zlib1g)

# Prints "debian-12", "debian-13" or "other".
detect_system() {
    local id='' version=''
    if [[ -r /etc/os-release ]]; then
        # shellcheck disable=SC1091
        id=$(. /etc/os-release && printf '%s' "${ID:-}")
        # shellcheck disable=SC1091
        version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
    fi
    case $id-$version in
    debian-12 | debian-13) printf '%s-%s' "$id" "$version" ;;
    *) printf 'other' ;;
    esac
}
system=$(detect_system)

# --- What is there ------------------------------------------------------------------------------------------------

# Prints those of the given packages that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
    done
}

cmake_is_recent() {
    local version
    have "$1" || return 1
    version=$("$1" --version | awk 'NR == 1 { print $3 }')
    version_at_least "$version" "$cmake_minimum"
}

# Prints the version number of the system's Boost headers (108100 for 1.81), or 0 without any.
system_boost() {
    local header=/usr/include/boost/version.hpp
    if [[ -r $header ]]; then awk '$1 == "#define" && $2 == "BOOST_VERSION" { print $3 }' "$header"; else echo 0; fi
}

nanobench_is_intact() {
    local header=$deps/nanobench/include/nanobench.h
    [[ -r $header && $(sha256sum <"$header") == "$nanobench_sha256 "* ]]
}

# --- Fetching into .deps ------------------------------------------------------------------------------------------

scratch=''
remove_scratch() {
    if [[ -n $scratch ]]; then rm -rf "$scratch"; fi
    scratch=''
}

open_scratch() {
    [[ -z $scratch ]] || return 0
    mkdir -p "$deps"
    find "$deps" -maxdepth 1 -name 'tmp.*' -mmin +60 -exec rm -rf {} + # of a run that was killed
    scratch=$(mktemp -d "$deps/tmp.XXXXXX")
    trap remove_scratch EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir -p "$scratch"/{sources,lists/partial,cache/archives/partial,get}
}

# apt with a private state and only the suites named by use_suites; as root it keeps its user, because the tree
# may be in a place that apt's download user cannot read.
private_apt() {
    local tool=$1
    shift
    "$tool" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$scratch/sources" \
        -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch/cache" \
        -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

# Prints the address of the Debian mirror that this machine uses.
debian_mirror() {
    local codename found state=()
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    # A fresh container has no package lists: without them apt does not know which source is Debian.
    if ! compgen -G '/var/lib/apt/lists/*Release' >/dev/null; then
        open_scratch
        mkdir -p "$scratch/own-lists/partial"
        state=(-o "Dir::State::Lists=$scratch/own-lists" -o "Dir::Cache=$scratch/cache" -o APT::Sandbox::User=root)
        apt-get "${state[@]}" -qq update >&2
    fi
    # shellcheck disable=SC2016 # the $(...) are apt's own
    found=$(apt-get "${state[@]}" indextargets --format '$(ORIGIN) $(LABEL) $(RELEASE) $(REPO_URI)' \
        'Created-By: Packages' |
        awk -v release="$codename" '$1 $2 == "DebianDebian" && $3 == release && !seen++ { print $4 }')
    [[ -n $found ]] || die "no Debian mirror found: apt's sources do not name '$codename' of Debian."
    printf '%s' "$found"
}

# use_suites "deb SUITE"...: points the private apt at suites of the machine's own mirror, and loads their lists.
use_suites() {
    local mirror entry
    open_scratch
    mirror=$(debian_mirror)
    for entry in "$@"; do
        printf '%s [signed-by=%s] %s %s main\n' "${entry% *}" "$keyring" "$mirror" "${entry#* }"
    done >"$scratch/sources/parts.list"
    private_apt apt-get -qq update || die 'cannot load the package lists (see above).'
}

# Moves a finished folder to .deps/PART, in the place of what may be there.
put_in_place() {
    local part=$1 from=$2
    if [[ -e $deps/$part ]]; then mv "$deps/$part" "$scratch/old-$part"; fi
    mv -T "$from" "$deps/$part"
    note "$part is in .deps/$part"
}

# fetch_packages PART SUITE PACKAGE...: unpacks packages of SUITE into .deps/PART.
fetch_packages() {
    local part=$1 suite=$2 package
    shift 2
    mkdir -p "$scratch/get/$part" "$scratch/$part"
    (
        cd "$scratch/get/$part" &&
            private_apt apt-get -qq download "${@/%//$suite}"
    ) || die "cannot download $part ($* of $suite)."
    for package in "$scratch/get/$part"/*.deb; do dpkg-deb -x "$package" "$scratch/$part"; done
    put_in_place "$part" "$scratch/$part"
}

fetch_nanobench() {
    local get=$scratch/get/nanobench got
    mkdir -p "$get" "$scratch/nanobench/include"
    (
        cd "$get" &&
            private_apt apt-get -qq source --download-only --tar-only "$nanobench_source"
    ) || die "cannot download nanobench (source package $nanobench_source)."
    tar -C "$get" --strip-components=1 --wildcards -xJf "$get"/*.orig.tar.xz "*/$nanobench_member"
    got=$(sha256sum <"$get/$nanobench_member")
    got=${got%% *}
    [[ $got == "$nanobench_sha256" ]] || die 'wrong checksum for nanobench.h: not installed.' \
        "expected $nanobench_sha256" "got      $got"
    mv "$get/$nanobench_member" "$scratch/nanobench/include/nanobench.h"
    put_in_place nanobench "$scratch/nanobench"
}

# --- Debian -------------------------------------------------------------------------------------------------------

setup_debian() {
    local wanted=("$@") suites=() parts=() missing=() boost boost_package=libboost1.81-dev codename=bookworm
    if [[ $system == debian-13 ]]; then
        boost_package=libboost1.83-dev
        codename=trixie
    fi

    if ! cmake_is_recent cmake; then
        if [[ $system == debian-13 ]]; then
            wanted+=(cmake)
        else
            wanted+=("${cmake_libraries[@]}")
            if [[ ! -x $deps/cmake/usr/bin/cmake ]]; then
                parts+=(cmake)
                suites+=('deb bookworm-backports')
            fi
        fi
    fi

    boost=$(system_boost)
    if ((boost < boost_minimum)) && [[ ! -r $deps/boost/usr/include/boost/version.hpp ]]; then
        # An older Boost that the user has installed is left alone.
        if ((boost == 0)) && is_root; then
            wanted+=("$boost_package")
        else
            parts+=(boost)
            suites+=("deb $codename")
        fi
    fi

    if [[ ! -d $deps/ut ]] && [[ -n $(missing_packages libboost-ext-ut-dev) ]]; then
        if [[ $system == debian-13 ]] && is_root; then
            wanted+=(libboost-ext-ut-dev)
        else
            parts+=(ut)
            suites+=('deb trixie')
        fi
    fi

    if ! nanobench_is_intact; then
        wanted+=(xz-utils) # its tarball is compressed with xz
        parts+=(nanobench)
        suites+=('deb-src trixie')
    fi

    mapfile -t missing < <(missing_packages "${wanted[@]}")
    if ((${#missing[@]})) && is_root; then
        say "Installing ${missing[*]}"
        install_packages "${missing[@]}"
        missing=()
    fi
    if ((${#parts[@]})); then
        say "Fetching ${parts[*]} into .deps"
        mapfile -t suites < <(printf '%s\n' "${suites[@]}" | sort -u)
        fetch_parts "$boost_package" "$codename"
    fi
    if ((${#missing[@]})); then
        die "these packages are missing, and installing them needs root: ${missing[*]}" \
            "sudo apt-get install --no-install-recommends ${missing[*]}"
    fi
}

install_packages() {
    local log=$deps/apt.log
    export DEBIAN_FRONTEND=noninteractive
    mkdir -p "$deps"
    quietly "$log" apt-get -q update || die 'apt-get update failed (see above).'
    quietly "$log" apt-get -q install -y --no-install-recommends "$@" || die "apt-get could not install $* (see above)."
    rm -f "$log"
}

# Fetches the caller's `parts` from the caller's `suites`.
fetch_parts() {
    local boost_package=$1 codename=$2 part
    use_suites "${suites[@]}"
    for part in "${parts[@]}"; do
        case $part in
        cmake) fetch_packages cmake bookworm-backports cmake cmake-data ;;
        boost) fetch_packages boost "$codename" "$boost_package" ;;
        ut) fetch_packages ut trixie libboost-ext-ut-dev ;;
        nanobench) if have xz; then fetch_nanobench; fi ;; # without xz, the caller names xz-utils as missing
        esac
    done
    remove_scratch
}

# --- Other systems ------------------------------------------------------------------------------------------------

# Only looks; CMake itself names the libraries (Boost, ut, nanobench) that it does not find.
setup_other() {
    local missing=() tool
    if [[ -z ${CXX:-} ]]; then
        for tool in clang++ g++; do
            if have "$tool"; then
                CXX=$tool
                break
            fi
        done
    fi
    if [[ -z ${CXX:-} ]]; then
        missing+=('a C++20 compiler with modules: set CXX, or put clang++ or g++ on PATH')
    elif ! have "$CXX"; then
        missing+=("the compiler that CXX names: $CXX")
    fi
    cmake_is_recent cmake || missing+=("cmake >= $cmake_minimum on PATH")
    have ninja || missing+=('ninja >= 1.11 on PATH')
    for tool in "$@"; do have "$tool" || missing+=("$tool on PATH"); done
    ((${#missing[@]} == 0)) || die 'missing on this system:' "${missing[@]}"
}

# --- Entry --------------------------------------------------------------------------------------------------------

# setup [lint|sanitize|coverage|matrix|plots]...: makes ready for building, and for the extra jobs named. Sets `cmake` and `ctest`.
setup() {
    local job packages=("${build_packages[@]}") tools=()
    for job in "$@"; do
        case $job in
        lint)
            packages+=("${lint_packages[@]}")
            tools+=(clang-tidy-19 clang-format-19 shellcheck)
            ;;
        sanitize) packages+=("${sanitize_packages[@]}") ;;
        coverage) packages+=("${coverage_packages[@]}") ;;
        matrix) packages+=("${matrix_packages[@]}") ;;
        plots)
            # Any gnuplot will do, also one that is not from this package.
            if ! have gnuplot; then packages+=("${plots_packages[@]}"); fi
            tools+=(gnuplot)
            ;;
        esac
    done
    if [[ $system == other ]]; then setup_other "${tools[@]}"; else setup_debian "${packages[@]}"; fi
    cmake=cmake
    if ! cmake_is_recent cmake; then cmake=$deps/cmake/usr/bin/cmake; fi
    # shellcheck disable=SC2034 # used by the files that source this one
    ctest=${cmake%cmake}ctest
}
