# shellcheck shell=bash
# shellcheck disable=SC2154 # root and system come from common.sh and setup.sh
# The checks that need no running program: format, clang-tidy, module layers and the scripts themselves.
#
# clang-tidy is slow, so a file that was found clean is not looked at again until it, an interface unit, a header,
# the compile commands or the settings change; its stamp is in build/lint.

# Prints the C++ files of the tree.
cpp_files() {
    local folder folders=()
    for folder in modules src tests bench examples; do
        if [[ -d $folder ]]; then folders+=("$folder"); fi
    done
    find "${folders[@]}" -name '*.cppm' -o -name '*.cpp' -o -name '*.hpp' | sort
}

lint_format() {
    local files
    mapfile -t files < <(cpp_files)
    if [[ ${1:-} == --fix ]]; then
        say 'Formatting'
        clang-format-19 -i "${files[@]}"
    fi
    say 'Checking the format'
    clang-format-19 --dry-run -Werror "${files[@]}" || die 'the format is not right: ./dev lint --fix'
}

lint_layers() {
    say 'Checking the layers'
    tools/check_layers.sh || die 'the modules are not layered as designed (see above).'
}

lint_scripts() {
    say 'Checking the scripts'
    shellcheck -x dev tools/*.sh .ci/run || die 'shellcheck has findings (see above).'
}

# tidy_file FILE COMMON: COMMON stands for everything but FILE that its findings depend on.
tidy_file() {
    local file=$1 stamp=build/lint/$1 key output
    key="$2 $(sha256sum <"$file")"
    if [[ -f $stamp && $(<"$stamp") == "$key" ]]; then return; fi
    if output=$(clang-tidy-19 --quiet -p build/dev "$file" 2>&1); then
        mkdir -p "$(dirname "$stamp")"
        printf '%s\n' "$key" >"$stamp"
    else
        printf '%s\n' "$output"
        return 1
    fi
}

lint_tidy() {
    local common files
    build dev # clang-tidy reads the built module interfaces
    # Not the tests and benchmarks: the headers of ut and nanobench make each take a minute.
    mapfile -t files < <(sed -n "s|^ *\"file\": \"$root/\(.*\)\".*|\1|p" build/dev/compile_commands.json |
        grep -E '^(modules|src|examples)/' | sort -u | while read -r file; do
        # A unit that only imports has nothing to find, and loading everything takes long.
        if grep -qvE '^(//.*|export (module|import) .*|)$' "$file"; then echo "$file"; fi
    done)
    common=$({ clang-tidy-19 --version && cpp_files | grep -v '\.cpp$' | xargs cat &&
        cat .clang-tidy build/dev/compile_commands.json; } | sha256sum)
    say "Running clang-tidy over ${#files[@]} files"
    export -f tidy_file
    # shellcheck disable=SC2016 # expanded by the inner shell
    printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I {} bash -c 'tidy_file "$1" "$2"' bash {} "${common%% *}" ||
        die 'clang-tidy has findings (see above).'
}

# lint [--fix]
lint() {
    local fix=''
    for fix in "$@"; do [[ $fix == --fix ]] || usage_error "'lint' does not take '$fix'"; done
    setup lint
    lint_scripts
    lint_layers
    lint_format "$fix"
    lint_tidy
    say 'lint: no findings'
}
