# Runs the benchmark program as a user does and checks exit codes, messages and the JSON it writes. Nothing
# here depends on how long anything takes. Called with -DPROGRAM=... -DPLOTS=... -DFOLDER=... (a folder to work in).
cmake_minimum_required(VERSION 3.28)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

# run(CODE ARGUMENT...): sets `out` and `err`.
function(run code)
    execute_process(COMMAND "${PROGRAM}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
        RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
    if(NOT result STREQUAL code)
        message(SEND_ERROR "pecs_bench ${ARGN}: exit code ${result}, expected ${code}\n${out}${err}")
    endif()
    set(out "${out}" PARENT_SCOPE)
    set(err "${err}" PARENT_SCOPE)
endfunction()

function(expect text regex)
    if(NOT text MATCHES "${regex}")
        message(SEND_ERROR "expected '${regex}' in:\n${text}")
    endif()
endfunction()

# What a user sees.
run(0 --help)
expect("${out}" "usage: pecs_bench")
run(0 --list)
if(out MATCHES "selftest")
    message(SEND_ERROR "hidden scenarios are listed:\n${out}")
endif()
run(0 selftest --quick --json rows.json)
expect("${err}" "\\[1/1\\] selftest")
expect("${out}" "variant +n +order +bytes +ns/item +err +ratio +limit +met")
expect("${out}" "same +1k +shuffled .* yes")
expect("${out}" "score: [0-9.]+ \\(geometric mean of 5 ratios to the floor\\)")
expect("${out}" "5 of 5 limits met")

# The JSON: an array of objects with known keys.
file(READ "${FOLDER}/rows.json" json)
string(JSON length ERROR_VARIABLE problem LENGTH "${json}")
if(NOT length EQUAL 9)
    message(SEND_ERROR "rows.json should have 9 rows: ${length} ${problem}")
endif()
set(known scenario variant n fanout order ns ratio limit met bytes err checksum)
math(EXPR last "${length} - 1")
foreach(i RANGE ${last})
    string(JSON keys LENGTH "${json}" ${i})
    math(EXPR last_key "${keys} - 1")
    foreach(k RANGE ${last_key})
        string(JSON key MEMBER "${json}" ${i} ${k})
        if(NOT key IN_LIST known)
            message(SEND_ERROR "rows.json: unknown key '${key}'")
        endif()
    endforeach()
    string(JSON scenario GET "${json}" ${i} scenario)
    expect("${scenario}" "^selftest$")
endforeach()
string(JSON checksum GET "${json}" 0 checksum)
expect("${checksum}" "^499500$")

# What does not apply to a row is absent: a floor has no limit, and what was counted no time.
function(expect_keys row keys)
    string(JSON count LENGTH "${json}" ${row})
    math(EXPR last_key "${count} - 1")
    set(found "")
    foreach(k RANGE ${last_key})
        string(JSON key MEMBER "${json}" ${row} ${k})
        list(APPEND found ${key})
    endforeach()
    list(SORT found)
    list(SORT keys)
    if(NOT found STREQUAL keys)
        message(SEND_ERROR "row ${row} of rows.json has '${found}', expected '${keys}'")
    endif()
endfunction()
expect_keys(0 "scenario;variant;n;order;ns;ratio;err;checksum")
expect_keys(1 "scenario;variant;n;order;ns;ratio;limit;met;err;checksum")
expect_keys(8 "scenario;variant;n;bytes;ratio;limit;met")

# Beside it, a line about the machine.
file(READ "${FOLDER}/rows.json.about" about)
expect("${about}" "threads; .*; [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\n$")

# The beginning of a name stands for all that go on with an underscore; a whole name for itself.
run(0 --list relation)
expect("${out}" "^relation  [^\n]*\n$")
run(0 --list peers)
expect("${out}" "^peers_")

# Figures are drawn from rows alone, and only those that there are rows for.
function(plot code)
    execute_process(COMMAND "${PLOTS}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
        RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
    if(NOT result STREQUAL code)
        message(SEND_ERROR "pecs_plots ${ARGN}: exit code ${result}, expected ${code}\n${out}${err}")
    endif()
    set(out "${out}" PARENT_SCOPE)
    set(err "${err}" PARENT_SCOPE)
endfunction()
file(WRITE "${FOLDER}/figure.json" [=[[
  {"scenario": "relation", "variant": "families", "n": 1000, "fanout": 1, "order": "parent", "ns": 2.5},
  {"scenario": "relation", "variant": "families", "n": 1000, "fanout": 10, "order": "parent", "ns": 0.5},
  {"scenario": "relation", "variant": "csr", "n": 1000, "fanout": 10, "order": "parent", "ns": 0.25}
]
]=])
file(WRITE "${FOLDER}/figure.json.about" "a machine, a compiler, a day\n")
plot(0 figure.json drawn)
expect("${out}" "set output 'drawn/relation.svg'")
expect("${out}" "\n1 2.5\n10 0.5\nEOD")
expect("${out}" "a machine, a compiler, a day")
expect("${err}" "figure.json has no rows for propagation.svg")
file(WRITE "${FOLDER}/peers.json" [=[[
  {"scenario": "peers_spawn", "variant": "PECS, spawn", "n": 1000, "ns": 2, "ratio": 1},
  {"scenario": "peers_spawn", "variant": "other, create", "n": 1000, "ns": 1, "ratio": 0.5}
]
]=])
plot(0 peers.json .)
file(READ "${FOLDER}/peers.md" table)
expect("${table}" "spawn . 1k .  . other, create . 1 . ..0.50.. .")
plot(1 rows.json drawn)
plot(2 absent.json drawn)
expect("${err}" "cannot read absent.json")
plot(2)
expect("${err}" "usage: pecs_plots")
find_program(gnuplot gnuplot)
if(gnuplot)
    file(MAKE_DIRECTORY "${FOLDER}/drawn")
    plot(0 figure.json drawn)
    file(WRITE "${FOLDER}/figure.gp" "${out}")
    execute_process(COMMAND "${gnuplot}" figure.gp WORKING_DIRECTORY "${FOLDER}"
        RESULT_VARIABLE result ERROR_VARIABLE problem)
    if(NOT result EQUAL 0 OR NOT EXISTS "${FOLDER}/drawn/relation.svg" OR problem)
        message(SEND_ERROR "gnuplot does not understand the script: ${problem}")
    endif()
endif()

# Comparing, and files that cannot be compared with.
run(0 selftest --quick --baseline rows.json)
expect("${out}" "now/then: [0-9.]+ \\(geometric mean of 6\\)")
string(SUBSTRING "${json}" 0 200 truncated)
file(WRITE "${FOLDER}/truncated.json" "${truncated}")
run(2 selftest --quick --baseline truncated.json)
expect("${err}" "truncated.json is not a result of pecs_bench: line [0-9]+: the file ends too early")
run(2 selftest --quick --baseline absent.json)
expect("${err}" "cannot read absent.json")
run(2 selftest --quick --json .)
expect("${err}" "cannot write \\.")

# What makes a run fail.
run(1 selftest_checksum --quick --json wrong.json)
expect("${out}" "off by one .* CHECKSUM")
expect("${err}" "selftest_checksum: 'off by one' does not do the work of its group")
run(0 selftest_limit --quick)
expect("${out}" "0 of 2 limits met")
run(1 selftest_limit --quick --check)
expect("${out}" "too slow .* NO")
expect("${err}" "missed a limit: measuring it again \\(3 of 3\\)")
run(1 selftest_failure selftest --quick)
expect("${err}" "selftest_failure failed: on purpose")
expect("${out}" "5 of 5 limits met")
run(2 --bogus)
expect("${err}" "unknown option '--bogus'")
run(2 nonsense)
expect("${err}" "unknown scenario 'nonsense'")
foreach(option --json --baseline)
    run(2 ${option})
    expect("${err}" "${option} needs a file")
    run(2 ${option} --quick)
    expect("${err}" "${option} needs a file")
endforeach()
