cmake_minimum_required(VERSION 3.28)

# Runs PROGRAM and compares what it prints with the comment block `/* Output: ... */` at the end of SOURCE.
file(READ "${SOURCE}" text)
string(FIND "${text}" "/* Output:\n" start)
if(start EQUAL -1)
    message(FATAL_ERROR "${SOURCE} has no '/* Output:' block")
endif()
math(EXPR start "${start} + 11")
string(SUBSTRING "${text}" ${start} -1 expected)
string(REGEX REPLACE "\\*/\n$" "" expected "${expected}")

execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}\n${printed}")
endif()
if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "the output of ${PROGRAM} differs\n--- expected\n${expected}--- printed\n${printed}")
endif()
