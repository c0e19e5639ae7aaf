# shellcheck shell=bash
# shellcheck disable=SC2154 # root comes from common.sh
# The benchmarks, built as a release and run, and the figures of the documentation, drawn from their results.

figure_scenarios=(memory propagation relation peers) # what the figures and the table of libraries show

# bench [SCENARIO...] [--quick] [--check] [--json FILE] [--baseline FILE] [--list] [--plots]
bench() {
    local json='' plots='' named='' words=()
    while (($#)); do
        case $1 in
        --plots) plots=yes ;;
        --json | --baseline)
            [[ -n ${2:-} && $2 != -* ]] || usage_error "$1 needs a file"
            if [[ $1 == --json ]]; then json=$2; fi
            words+=("$1" "$2")
            shift
            ;;
        -*) words+=("$1") ;;
        *)
            named=yes
            words+=("$1")
            ;;
        esac
        shift
    done
    if [[ -z $plots ]]; then
        setup
        run_bench "${words[@]}"
        return
    fi

    setup plots
    if [[ -n $json ]] && (in_users_folder test -s "$json"); then
        say "Drawing from $json: nothing is measured"
    else
        if [[ -z $named ]]; then words+=("${figure_scenarios[@]}"); fi
        if [[ -z $json ]]; then
            json=$root/build/release/figures.json
            words+=(--json "$json")
        fi
        run_bench "${words[@]}"
    fi
    build release pecs_plots
    mkdir -p "$root/docs/figures"
    say 'Drawing'
    in_users_folder "$root/build/release/bench/pecs_plots" "$json" "$root/docs/figures" | gnuplot
}

run_bench() {
    build release pecs_bench
    say 'Running the benchmarks'
    in_users_folder "$root/build/release/bench/pecs_bench" "$@"
}

# Files are named from where the user is, which `dev` has left.
in_users_folder() { (cd "${OLDPWD:-$root}" && "$@"); }
