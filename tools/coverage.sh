# shellcheck shell=bash
# shellcheck disable=SC2154 # root, system and ctest come from common.sh and setup.sh
# Which lines and branches of the library the tests run, by clang's source-based coverage.
#
# A line, or one way of a branch, counts as run if any program runs it, in any instantiation of a template. So each
# program is asked on its own and the answers are joined here: given all programs at once, llvm-cov takes a function
# as it is in the first that has it, run there or not. Of a template that no program instantiates llvm-cov knows
# nothing; such statements are looked for in the text of the interface units, and count as not run.
#
#   build/coverage/uncovered.txt    all files, and their lines that were not run
#
# Not optimised: that would double the time to compile and move lines. All tests run, even the long ones: under a
# minute in all. Only those that compile other projects do not: they run nothing of the library that others don't.

coverage_minimum=95 # percent of lines

# Prints the name of an LLVM tool of the compiler's version.
llvm_tool() {
    local name=$1 version=19
    if [[ $system == other ]]; then version=$("$CXX" -dumpversion) version=${version%%.*}; fi
    if have "$name-$version"; then name+=-$version; fi
    have "$name" || die "coverage needs $1 of the same version as the compiler ($version) on PATH."
    printf '%s' "$name"
}

# Prints the test programs, one per line.
coverage_programs() {
    "$ctest" --test-dir build/coverage -N -V "$@" |
        sed -n 's/^.*Test command: "\{0,1\}\([^"]*\/test\.[^"]*\)"\{0,1\}$/\1/p'
}

# export_records COV PROFILE PROGRAM...: prints "line FILE NUMBER COUNT" and "branch FILE NUMBER:COLUMN TRUE FALSE".
export_records() {
    local cov=$1 profile=$2 program
    shift 2
    for program in "$@"; do
        # It warns of functions that are unused in this program and used in another: those are found there.
        "$cov" export -format=lcov -instr-profile "$profile" "$program" -sources modules src 2>/dev/null |
            awk -F '[:,]' '$1 == "SF" { file = $2 } $1 == "DA" { print "line", file, $2, $3 }'
        "$cov" export -skip-functions -skip-expansions -instr-profile "$profile" "$program" -sources modules src \
            2>/dev/null | sed 's/[][]/\n/g' | awk -F '[,"]' '
                /^[0-9]+(,[0-9]+)+$/ && NF == 9 { branch[++count] = $1 ":" $2 " " $5 " " $6 } # at the end: its kind
                /"filename"/ {
                    for (i = 1; i < NF; ++i) if ($i == "filename") file = $(i + 2)
                    for (i = 1; i <= count; ++i) print "branch", file, branch[i]
                    count = 0
                }'
    done | sed "s| $root/| |"
}

# uninstantiated FILE...: prints statements of templates, in the form of export_records; some have a record, too.
uninstantiated() {
    awk '/^ +(return[ ;]|throw[ ;]|for \(|while \(|switch \(|if \()/ { print "line", FILENAME, FNR, 0 }' "$@"
}

# join_records RECORDS REPORT: writes the report, and prints a summary; fails if too few lines were run.
join_records() {
    awk -v report="$2" -v minimum="$coverage_minimum" '
        function percent(done, all) { return all ? 100 * done / all : 100 }
        function show(name, lines, hit, branches, taken) {
            return sprintf("%-36s %6d %6d %6.1f %%  %6d %6.1f %%", name, lines, lines - hit, percent(hit, lines),
                           branches, percent(taken, branches))
        }
        function layer(file,   parts) { split(file, parts, "/"); sub(/\.cppm$/, "", parts[2]); return parts[2] }
        $1 == "line" { runs[$2 " " $3] += $4 }
        $1 == "branch" { yes[$2 " " $3] += $4; no[$2 " " $3] += $5 }
        END {
            for (key in runs) {
                split(key, at, " ")
                ++lines[at[1]]; ++lines[layer(at[1])]; ++all_lines
                if (runs[key]) { ++hit[at[1]]; ++hit[layer(at[1])]; ++all_hit }
                else missing[at[1]] = missing[at[1]] " " at[2]
            }
            for (key in yes) {
                split(key, at, " ")
                ways = (yes[key] > 0) + (no[key] > 0)
                branches[at[1]] += 2; branches[layer(at[1])] += 2; all_branches += 2
                taken[at[1]] += ways; taken[layer(at[1])] += ways; all_taken += ways
            }
            head = sprintf("%-36s %6s %6s %8s  %6s %8s", "", "lines", "missed", "", "branches", "")
            print head
            count = split("core archetype relation query world", layers, " ")
            for (i = 1; i <= count; ++i)
                print show(layers[i], lines[layers[i]], hit[layers[i]], branches[layers[i]], taken[layers[i]])
            print show("all", all_lines, all_hit, all_branches, all_taken)

            sorted = "sort -k 4,4n -k 1,1 >\"" report "\""
            for (file in lines)
                if (file ~ "/") print show(file, lines[file], hit[file], branches[file], taken[file]) | sorted
            close(sorted)
            print "\nlowest" substr(head, 7)
            for (i = 0; i != 8 && (getline line <report) > 0; ++i) print line
            close(report)
            # The lines that were not run, as the source has them.
            listed = "sort -t: -k 1,1 -k 2,2n >>\"" report "\""
            print "" >>report
            close(report)
            for (file in missing) {
                split(missing[file], numbers, " ")
                split("", wanted)
                for (i in numbers) wanted[numbers[i]]
                for (number = 1; (getline line <file) > 0; ++number)
                    if (number in wanted) print file ":" number ": " line | listed
                close(file)
            }
            close(listed)
            exit percent(all_hit, all_lines) < minimum
        }' "$1"
}

coverage() {
    local folder=build/coverage profiles=$root/build/coverage/profiles profdata cov programs units status=0
    local without=(-E '^(consumer|compile_fail)[.]')
    setup coverage
    if [[ $system == other ]]; then
        [[ $("$CXX" --version) == *clang* ]] || die "coverage needs clang: CXX is $CXX."
    fi
    profdata=$(llvm_tool llvm-profdata)
    cov=$(llvm_tool llvm-cov)
    build coverage
    rm -rf "$profiles" "$folder/records.txt"
    # %m: one file for each program, to which all its processes add.
    LLVM_PROFILE_FILE=$profiles/%m.profraw run_ctest coverage "${without[@]}"
    "$profdata" merge -sparse "$profiles"/*.profraw -o "$folder/all.profdata" || die 'merging the profiles failed.'
    mapfile -t programs < <(coverage_programs "${without[@]}")
    ((${#programs[@]})) || die 'there are no test programs.'
    {
        export_records "$cov" "$folder/all.profdata" "${programs[@]}"
        mapfile -t units < <(find modules -name '*.cppm')
        uninstantiated "${units[@]}"
    } >"$folder/records.txt"
    say 'Coverage'
    join_records "$folder/records.txt" "$folder/uncovered.txt" || status=1
    note "Lines that were not run: $folder/uncovered.txt"
    ((status == 0)) || die "less than $coverage_minimum % of the lines were run."
}
