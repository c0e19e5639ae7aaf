# shellcheck shell=bash
# shellcheck disable=SC2154 # root comes from common.sh
# The benchmarks, built as a release and run.

# bench [SCENARIO...] [--quick] [--check] [--json FILE] [--baseline FILE] [--list]
# Files are named from where the user is, which `dev` has left.
bench() {
    setup
    build release pecs_bench
    say 'Running the benchmarks'
    (cd "${OLDPWD:-$root}" && "$root/build/release/bench/pecs_bench" "$@")
}
