cmake_minimum_required(VERSION 3.28)

# Runs PROGRAM and compares what it prints with the comment at the end of SOURCE, `/* Output:` or, for programs that
# measure something, `/* Output, but for the numbers:`.
file(READ "${SOURCE}" text)
if(NOT text MATCHES "/\\* Output(, but for the numbers)?:\n(.*)\\*/\n$")
    message(FATAL_ERROR "${SOURCE} does not end with a comment '/* Output: ... */'")
endif()
set(numbers "${CMAKE_MATCH_1}")
set(expected "${CMAKE_MATCH_2}")

execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}\n${printed}")
endif()
set(compared "${printed}")
if(numbers)
    string(REGEX REPLACE " *[0-9]+(\\.[0-9]+)?" " #" compared "${compared}")
    string(REGEX REPLACE " *[0-9]+(\\.[0-9]+)?" " #" expected "${expected}")
endif()
if(NOT compared STREQUAL expected)
    message(FATAL_ERROR "the output of ${PROGRAM} differs\n--- expected\n${expected}--- printed\n${printed}")
endif()
