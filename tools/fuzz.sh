# shellcheck shell=bash
# shellcheck disable=SC2154 # root and system come from common.sh and setup.sh
# Fuzzing: random operations on worlds, compared with a model; see tests/fuzz. With libFuzzer, which learns from what
# the operations reach, where the compiler has it; else with random numbers alone.

fuzz_corpus=tests/fuzz/corpus
fuzz_minimise_seconds=30

# fuzz [SECONDS] [--seed N]
fuzz() {
    local seconds='' seed=''
    while (($#)); do
        case $1 in
        --seed)
            [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || usage_error "--seed needs a number of at most 9 digits"
            seed=$((10#$2))
            shift
            ;;
        -*) usage_error "'fuzz' does not take '$1'" ;;
        *)
            [[ -z $seconds ]] || usage_error "'fuzz' takes one number of seconds, not also '$1'"
            [[ $1 =~ ^0*[1-9][0-9]{0,5}$ ]] || usage_error "'$1' is no number of seconds"
            seconds=$((10#$1))
            ;;
        esac
        shift
    done
    seconds=${seconds:-60}
    seed=${seed:-$((RANDOM * 32768 + RANDOM + 1))}
    if ((seed == 0)); then usage_error '--seed 0 means any seed to libFuzzer: give another'; fi
    setup
    if has_libfuzzer; then
        build fuzz fuzz_libfuzzer fuzz_runner
        run_libfuzzer "$seconds" "$seed"
    else
        note "$CXX has no libFuzzer: random programs without it"
        build dev fuzz_runner
        run_random_programs "$seconds" "$seed"
    fi
}

# The presets' clang-19 has it; another compiler is asked.
has_libfuzzer() {
    [[ $system == other ]] || return 0
    local try=$root/build/libfuzzer-test
    mkdir -p "$root/build"
    printf '%s\n' 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$try.cpp"
    "$CXX" -fsanitize=fuzzer "$try.cpp" -o "$try" >"$try.log" 2>&1
}

# run_libfuzzer SECONDS SEED
run_libfuzzer() {
    local seconds=$1 seed=$2 folder=build/fuzz/run log=build/fuzz/run/log found reached program=build/fuzz/tests/fuzz/fuzz_libfuzzer
    rm -rf "$folder"
    mkdir -p "$folder/found" "$folder/crashes"
    say "Fuzzing for $seconds seconds with seed $seed (./dev fuzz $seconds --seed $seed)"
    local status=0
    "$program" -seed="$seed" -max_total_time="$seconds" -max_len=1024 -timeout=60 -rss_limit_mb=4096 \
        -print_final_stats=1 -artifact_prefix="$folder/crashes/" "$folder/found" "$fuzz_corpus" >"$log" 2>&1 || status=$?
    reached=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -n 1) || true # none if the first programs fail
    note "$(awk '/stat::number_of_executed_units/ { print $2 }' "$log") programs run," \
        "coverage: ${reached:-not known}," \
        "$(find "$folder/found" -type f | wc -l) new programs kept in $folder/found"
    if ((status == 0)); then
        note 'Nothing was found.'
        return
    fi
    found=$(find "$folder/crashes" -type f | sort | head -n 1)
    if [[ -z $found ]]; then
        tail -n 50 "$log" >&2
        die 'the fuzzer failed (see above).'
    fi
    keep_failure "$program" "$found"
}

# keep_regression INPUT: keeps a failing input in the corpus, and prints its path there.
keep_regression() {
    local hash kept
    hash=$(sha256sum <"$1")
    kept=$fuzz_corpus/regression-${hash:0:12}
    cp "$1" "$kept"
    printf '%s\n' "$kept"
}

# keep_failure PROGRAM INPUT: makes a failing input smaller, keeps it in the corpus, and tells what it does.
keep_failure() {
    local program=$1 input=$2 folder=build/fuzz/run kept
    say 'Something was found; making it smaller'
    "$program" -minimize_crash=1 -max_total_time="$fuzz_minimise_seconds" -timeout=60 \
        -exact_artifact_path="$folder/smallest" "$input" >"$folder/minimise.log" 2>&1 || true
    if [[ ! -s $folder/smallest ]]; then cp "$input" "$folder/smallest"; fi
    # A smaller input that does not fail is of no use.
    if "$program" "$folder/smallest" >/dev/null 2>&1; then cp "$input" "$folder/smallest"; fi
    kept=$(keep_regression "$folder/smallest")
    PECS_TRACE=1 "$program" "$kept" >&2 || true
    die "the fuzzer has found a bug; see above for what it did, step by step." \
        "The input is kept in $kept, for ./dev test to try again: commit it with the remedy." \
        "Repeat with: PECS_TRACE=1 $program $kept"
}

# run_random_programs SECONDS SEED
run_random_programs() {
    local seconds=$1 seed=$2 program=build/dev/tests/fuzz/fuzz_runner failure=build/dev/fuzz-failure kept
    say "Running random programs for $seconds seconds from seed $seed on"
    rm -f "$failure"
    if PECS_SEED=$seed PECS_FAILURE=$failure "$program" --random --seconds "$seconds"; then
        note 'Nothing was found.'
        return
    fi
    if [[ ! -s $failure ]]; then die 'a random program has found a bug (see above).'; fi
    kept=$(keep_regression "$failure")
    die "a random program has found a bug; see above for what it did, step by step." \
        "The input is kept in $kept, for ./dev test to try again: commit it with the remedy." \
        "Repeat with: $program --trace $kept"
}
