# shellcheck shell=bash
# shellcheck disable=SC2154 # root, system, cmake and ctest come from common.sh and setup.sh
# Configuring, building and testing one CMake preset. A build folder is configured again only when something that
# CMake cannot see by itself has changed: the presets, the compiler chosen outside Debian, the place of the tree, or
# that of other packages.

# Prints the options that put the user's compiler in the place of the presets' clang-19 and libc++.
compiler_options() {
    local flags=${CXXFLAGS:-}
    [[ $system == other ]] || return 0
    case $1 in
    asan) flags+=' -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' ;;
    fuzz)
        flags+=' -fsanitize=address,undefined -fsanitize-coverage=inline-8bit-counters,pc-table'
        flags+=' -fno-sanitize-recover=all -fno-omit-frame-pointer'
        ;;
    tsan) flags+=' -fsanitize=thread' ;;
    coverage) flags+=' -fprofile-instr-generate -fcoverage-mapping' ;;
    esac
    printf '%s\n' "-DCMAKE_CXX_COMPILER=$CXX" "-DCMAKE_CXX_FLAGS=$flags"
}

# configure PRESET
configure() {
    local preset=$1 folder=build/$1 key options
    mapfile -t options < <(compiler_options "$preset")
    key="$root $cmake ${options[*]} ${CMAKE_PREFIX_PATH:-}"
    if [[ -f $folder/build.ninja && ! CMakePresets.json -nt $folder/configured &&
        $(cat "$folder/configured" 2>/dev/null) == "$key" ]]; then
        return
    fi
    say "Configuring $preset"
    quietly "$folder/configure.log" "$cmake" --fresh --preset "$preset" -DPECS_FETCH=OFF "${options[@]}" ||
        die "configuring '$preset' failed (see above)."
    printf '%s\n' "$key" >"$folder/configured"
}

# build PRESET [TARGET...]
build() {
    local preset=$1 targets=("${@:2}") folder=build/$1 ninja_options=()
    if ((${#targets[@]} == 0)); then targets=(all); fi
    configure "$preset"
    say "Building $preset"
    [[ -t 1 ]] || ninja_options=(-- --quiet) # a log needs no progress
    quietly "$folder/build.log" "$cmake" --build "$folder" --target "${targets[@]}" "${ninja_options[@]}" ||
        die "building '$preset' failed (see above)."
}

# run_ctest PRESET [OPTION...]
run_ctest() {
    local preset=$1 options=("${@:2}")
    say "Testing $preset"
    "$ctest" --test-dir "build/$preset" --output-on-failure --timeout 600 -j "$(nproc)" "${options[@]}" ||
        die "tests of '$preset' failed (see above)."
}
