# Where the dependencies come from: an installed package first, then the project's own .deps folder (filled by
# `./dev install-deps`), and a download last, if PECS_FETCH allows it.
#
#   Boost.Unordered  the library's implementation units (headers only, never seen by users)
#   ut               the tests
#   nanobench        the benchmarks
#
# Everything that is missing is named in one message.

foreach(part boost ut)
    if(EXISTS "${PROJECT_SOURCE_DIR}/.deps/${part}/usr")
        list(APPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/.deps/${part}/usr")
    endif()
endforeach()

set(pecs_missing "")

# Boost: the package file if there is one, else the bare headers.
find_package(Boost 1.81 QUIET CONFIG)
if(NOT TARGET Boost::headers)
    find_path(PECS_BOOST_INCLUDE_DIR boost/unordered/unordered_flat_map.hpp)
    if(PECS_BOOST_INCLUDE_DIR)
        add_library(Boost::headers INTERFACE IMPORTED)
        target_include_directories(Boost::headers SYSTEM INTERFACE "${PECS_BOOST_INCLUDE_DIR}")
    elseif(PECS_FETCH)
        include(FetchContent)
        message(STATUS "pecs: Boost >= 1.81 is not installed, downloading it")
        FetchContent_Declare(Boost
            URL https://github.com/boostorg/boost/releases/download/boost-1.86.0/boost-1.86.0-cmake.tar.xz
            URL_HASH SHA256=2c5ec5edcdff47ff55e27ed9560b0a0b94b07bd07ed9928b476150e16b0efc57
            DOWNLOAD_EXTRACT_TIMESTAMP FALSE SYSTEM EXCLUDE_FROM_ALL)
        set(BOOST_INCLUDE_LIBRARIES unordered)
        FetchContent_MakeAvailable(Boost)
        add_library(pecs_boost INTERFACE)
        target_link_libraries(pecs_boost INTERFACE Boost::unordered)
        add_library(Boost::headers ALIAS pecs_boost)
    else()
        list(APPEND pecs_missing "Boost headers, version 1.81 or newer (for Boost.Unordered)")
    endif()
endif()

if(PECS_BUILD_TESTS)
    find_package(ut QUIET CONFIG)
    if(NOT TARGET Boost::ut)
        find_path(PECS_UT_INCLUDE_DIR boost/ut.hpp)
        if(PECS_UT_INCLUDE_DIR)
            add_library(Boost::ut INTERFACE IMPORTED)
            target_include_directories(Boost::ut SYSTEM INTERFACE "${PECS_UT_INCLUDE_DIR}")
        elseif(PECS_FETCH)
            include(FetchContent)
            message(STATUS "pecs: ut is not installed, downloading it")
            FetchContent_Declare(ut GIT_REPOSITORY https://github.com/boost-ext/ut.git GIT_TAG v2.3.1
                SYSTEM EXCLUDE_FROM_ALL)
            FetchContent_MakeAvailable(ut)
        else()
            list(APPEND pecs_missing "ut, version 2.1 or newer (boost/ut.hpp, for the tests)")
        endif()
    endif()
endif()

if(PECS_BUILD_BENCH)
    find_package(nanobench QUIET CONFIG)
    if(NOT TARGET nanobench::nanobench)
        find_path(PECS_NANOBENCH_INCLUDE_DIR nanobench.h HINTS "${PROJECT_SOURCE_DIR}/.deps/nanobench/include")
        if(PECS_NANOBENCH_INCLUDE_DIR)
            add_library(nanobench::nanobench INTERFACE IMPORTED)
            target_include_directories(nanobench::nanobench SYSTEM INTERFACE "${PECS_NANOBENCH_INCLUDE_DIR}")
        elseif(PECS_FETCH)
            include(FetchContent)
            message(STATUS "pecs: nanobench is not installed, downloading it")
            FetchContent_Declare(nanobench GIT_REPOSITORY https://github.com/martinus/nanobench.git GIT_TAG v4.3.11
                SYSTEM EXCLUDE_FROM_ALL)
            FetchContent_MakeAvailable(nanobench)
            add_library(nanobench::nanobench ALIAS nanobench)
        else()
            list(APPEND pecs_missing "nanobench, version 4.0 or newer (nanobench.h, for the benchmarks)")
        endif()
    endif()
endif()

if(pecs_missing)
    list(JOIN pecs_missing "\n  - " pecs_missing)
    message(FATAL_ERROR "pecs: not found on this system:\n  - ${pecs_missing}\n"
        "Install them, name their place in CMAKE_PREFIX_PATH, or configure with -DPECS_FETCH=ON to download them.")
endif()
