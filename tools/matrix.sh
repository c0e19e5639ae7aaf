# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, system, cmake and ctest come from common.sh and setup.sh
# The compiler matrix: the same library, tests and consumers with every supported compiler.
#
# clang-19 with libc++ is the machine's own. GCC 16, GCC 15 and clang-22 (which there uses libstdc++ 16) live in a
# chroot of Debian forky, made once and kept in a cache folder; it is made again when its list of packages changes
# or a program in it no longer runs. Everything is mounted in a private mount namespace, so nothing stays mounted.
#
#   ${PECS_CACHE:-${XDG_CACHE_HOME:-~/.cache}/pecs}/forky    the chroot; the tree appears in it as /pecs
#   build/matrix/<compiler>                                  the build folders

matrix_compilers=(clang-19 gcc-16 gcc-15 clang-22)
chroot_suite=forky
chroot_packages=(g++-16 g++-15 clang-22 clang-tools-22 cmake ninja-build libboost-dev libboost-ext-ut-dev)
chroot_programs=(g++-16 g++-15 clang++-22 clang-scan-deps-22 cmake ninja)
chroot_cache=${PECS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/pecs}
chroot=$chroot_cache/$chroot_suite

# in_chroot COMMAND...: runs a command in the chroot, in the tree, with a clean environment.
in_chroot() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --propagation private bash -euc '
        chroot=$1 tree=$2
        shift 2
        mount -t proc proc "$chroot/proc"
        mount --rbind /dev "$chroot/dev"
        mount -t tmpfs tmpfs "$chroot/tmp"
        mount --bind "$tree" "$chroot/pecs"
        exec chroot "$chroot" env -i -C /pecs HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 "$@"
    ' bash "$chroot" "$root" "$@" </dev/null
}

# Prints what the chroot is made of; a chroot with another stamp is out of date.
chroot_stamp() { printf '%s\n' "$chroot_suite" "${chroot_packages[@]}"; }

chroot_works() {
    [[ -f $chroot/pecs.stamp && $(chroot_stamp) == "$(<"$chroot/pecs.stamp")" ]] || return 1
    # shellcheck disable=SC2016 # expanded by the inner shell
    in_chroot bash -euc 'for program; do "$program" --version; done' bash "${chroot_programs[@]}" >/dev/null 2>&1
}

# Builds the chroot under a temporary name, so that an interrupted run is not mistaken for a finished one.
make_chroot() {
    local mirror proxy='' new=$chroot.new packages
    say "Making the $chroot_suite chroot in $chroot (about 1.3 GB, a few minutes)"
    mirror=$(debian_mirror)
    packages=$(IFS=, && printf '%s' "${chroot_packages[*]}")
    eval "$(apt-config shell proxy Acquire::http::Proxy)" # debootstrap does not read apt's settings
    rm -rf --one-file-system "$new" "$chroot"
    # The script is named, because Debian 12's debootstrap does not know forky; it is the same for all new suites.
    # shellcheck disable=SC2016 # expanded by the inner shell
    http_proxy=${proxy:-${http_proxy:-}} quietly "$chroot_cache/debootstrap.log" \
        unshare --mount --propagation private debootstrap --variant=minbase --include="$packages" --keyring="$keyring" \
        "$chroot_suite" "$new" "$mirror" /usr/share/debootstrap/scripts/sid || {
        rm -rf --one-file-system "$new"
        die 'debootstrap failed (see above).'
    }
    rm -f "$new"/var/cache/apt/archives/*.deb
    mkdir "$new/pecs"
    chroot_stamp >"$new/pecs.stamp"
    mv -T "$new" "$chroot"
}

# Makes the chroot ready; only one ./dev at a time works on it.
need_chroot() {
    is_root || die 'the matrix needs root, to work in a chroot. Without: ./dev matrix clang-19'
    unshare --mount true 2>/dev/null ||
        die 'the matrix needs a private mount namespace, and unshare may not make one here.'
    mkdir -p "$chroot_cache"
    exec 9>"$chroot.lock"
    flock 9
    chroot_works || make_chroot
    flock -u 9
    chroot_works || die "the chroot in $chroot does not work."
}

# test_in_chroot NAME COMPILER: configures, builds and tests in build/matrix/NAME. Optimising takes most of the time, so
# GCC 16 alone does it; the others are here for what they refuse, and leave out the long tests, of volume.
test_in_chroot() {
    local name=$1 compiler=$2 folder=build/matrix/$1 flags='-O0' tests=(--label-exclude '^long$')
    local ninja_options=(-- -k 0) # all errors at once
    if [[ $name == gcc-16 ]]; then flags='-O2 -DNDEBUG' tests=(); fi
    [[ -t 1 ]] || ninja_options+=(--quiet)
    # A chroot that was made again may hold other compilers; -nt is also true when there is no build.ninja yet.
    if [[ $chroot/pecs.stamp -nt $folder/build.ninja ]]; then
        rm -rf "$folder"
        mkdir -p "$folder"
        quietly "$folder/configure.log" in_chroot cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            "-DCMAKE_CXX_FLAGS_RELEASE=$flags" "-DCMAKE_CXX_COMPILER=$compiler" -DPECS_FETCH=OFF || return 1
    fi
    quietly "$folder/build.log" in_chroot cmake --build "$folder" "${ninja_options[@]}" || return 1
    # No "quietly" here: the log is read afterwards, also on a terminal.
    in_chroot ctest --test-dir "$folder" --output-on-failure --timeout 600 -j "$(nproc)" "${tests[@]}" \
        >"$folder/test.log" 2>&1
}

# test_on_host: the same for the compiler of the machine, in the folder that ./dev test uses.
test_on_host() {
    build dev
    "$ctest" --test-dir build/dev --output-on-failure --timeout 600 -j "$(nproc)" >build/matrix/clang-19/test.log 2>&1
}

# run_compiler NAME: tests with one compiler and sets `result`.
run_compiler() {
    local name=$1 log=build/matrix/$1/test.log version status=0 passed='' total=''
    mkdir -p "build/matrix/$name"
    rm -f "$log"
    case $name in
    clang-19)
        version=$(clang++-19 -dumpversion)
        say "clang-19 ($version, libc++)"
        (test_on_host) || status=1
        ;;
    gcc-*)
        version=$(in_chroot "g++-${name#gcc-}" -dumpfullversion)
        say "$name ($version)"
        test_in_chroot "$name" "g++-${name#gcc-}" || status=1
        ;;
    clang-*)
        version=$(in_chroot "clang++-${name#clang-}" -dumpversion)
        say "$name ($version, libstdc++)"
        test_in_chroot "$name" "clang++-${name#clang-}" || status=1
        ;;
    esac
    # ctest closes with "99% tests passed, 1 tests failed out of 12".
    read -r passed total < <(awk '/ tests passed, .* out of / { print $NF - $4, $NF }' "$log" 2>/dev/null) || true
    if [[ -z $total ]]; then
        status=1
        result='BUILD FAILED'
        if [[ -f $log ]]; then
            result='NO TESTS RAN'
            cat "$log"
        fi
    elif ((status)); then
        cat "$log"
        result="FAILED: $((total - passed)) of $total tests"
    else
        result="$total tests passed"
    fi
    result=$(printf '%-9s %-8s %s' "$name" "$version" "$result")
    note "$result"
    return "$status"
}

# matrix [COMPILER...]
matrix() {
    local compilers=("$@") compiler result='' results=() failed=0 chroot_needed=0
    if ((${#compilers[@]} == 0)); then compilers=("${matrix_compilers[@]}"); fi
    for compiler in "${compilers[@]}"; do
        [[ " ${matrix_compilers[*]} " == *" $compiler "* ]] ||
            usage_error "'matrix' does not know '$compiler', only: ${matrix_compilers[*]}"
        if [[ $compiler != clang-19 ]]; then chroot_needed=1; fi
    done
    [[ $system != other ]] || die 'the matrix runs on Debian 12 and 13 only.'
    if ((chroot_needed)); then
        is_root || die 'the matrix needs root, to work in a chroot. Without: ./dev matrix clang-19'
        setup matrix
        need_chroot
    else
        setup
    fi
    for compiler in "${compilers[@]}"; do
        run_compiler "$compiler" || failed=1
        results+=("$result")
    done
    say 'Matrix'
    for result in "${results[@]}"; do note "$result"; done
    ((failed == 0)) || die 'the matrix failed (see above).'
}
