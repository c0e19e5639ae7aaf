# What we ask of the compiler: modules at all, and warnings as errors in our own code while PECS is the top-level
# project (a user's newer compiler must not fail on a warning that we have not met yet).

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
    message(FATAL_ERROR "pecs: GCC ${CMAKE_CXX_COMPILER_VERSION} cannot build these modules; use GCC 15 or newer")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
    message(FATAL_ERROR "pecs: clang ${CMAKE_CXX_COMPILER_VERSION} cannot build these modules; use clang 19 or newer")
endif()

function(pecs_strict target)
    if(NOT PROJECT_IS_TOP_LEVEL)
        return()
    endif()
    set(options -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        list(APPEND options -Wimplicit-fallthrough)
    endif()
    # Users of the installed package compile the interface units themselves, and not with these.
    target_compile_options(${target} PRIVATE "$<BUILD_INTERFACE:${options}>")
endfunction()
