# cmake -DWAY=package|older_cmake|subdirectory|include_path|pkg_config -DSOURCE= -DBINARY= -DSCRATCH= -DCOMPILER=
# -DVERSION= -P consume.cmake
#
# Uses the library as a stranger does and runs the result.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(prefix ${SCRATCH}/prefix)

function(run what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${what} failed (${result}):\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

function(build_and_run folder)
    run("configuring" ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/${folder} -B ${SCRATCH}/build
        -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN})
    set(configure_output "${output}")
    run("building" ${CMAKE_COMMAND} --build ${SCRATCH}/build)
    run("the consumer" ${SCRATCH}/build/consumer)
    set(configure_output "${configure_output}" PARENT_SCOPE)
endfunction()

if(WAY MATCHES "package|pkg_config|older_cmake")
    run("installing" ${CMAKE_COMMAND} --install ${BINARY} --prefix ${prefix})
endif()

if(WAY STREQUAL "package")
    build_and_run(package -DCMAKE_PREFIX_PATH=${prefix} -DWANTED_VERSION=${VERSION})
    # A package of another minor version may differ in its interface before 1.0: it must not be taken.
    execute_process(
        COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/package -B ${SCRATCH}/newer -DCMAKE_PREFIX_PATH=${prefix}
            -DCMAKE_CXX_COMPILER=${COMPILER} -DWANTED_VERSION=99.0
        RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
        message(FATAL_ERROR "the package claims to be version 99.0")
    endif()
    # What is installed is what is there: every header, and no path of the machine that installed it.
    file(GLOB_RECURSE there RELATIVE ${SOURCE}/include ${SOURCE}/include/*)
    file(GLOB_RECURSE installed RELATIVE ${prefix}/include ${prefix}/include/*)
    if(NOT there STREQUAL installed)
        message(FATAL_ERROR "installed headers differ:\n${there}\n${installed}")
    endif()
    file(GLOB_RECURSE others ${prefix}/share/*)
    foreach(file IN LISTS others)
        file(READ ${file} text)
        string(FIND "${text}" "${SOURCE}" place)
        string(FIND "${text}" "${prefix}" place_of_prefix)
        if(NOT place EQUAL -1 OR NOT place_of_prefix EQUAL -1)
            message(FATAL_ERROR "${file} holds a path of this machine")
        endif()
    endforeach()
elseif(WAY STREQUAL "older_cmake")
    # CMake before 3.23 knows no file sets: the exported target must name its include folder outside their guard.
    file(READ ${prefix}/share/cmake/polyrope/polyrope-targets.cmake text)
    if(NOT text MATCHES "INTERFACE_INCLUDE_DIRECTORIES \"\\\${_IMPORT_PREFIX}/include\"")
        message(FATAL_ERROR "the exported target has no include folder for CMake before 3.23")
    endif()
elseif(WAY STREQUAL "subdirectory")
    build_and_run(subdirectory -DPOLYROPE_SOURCE=${SOURCE})
    string(REGEX REPLACE "-- Build files have been written to[^\n]*" "" configure_output "${configure_output}")
    string(REGEX MATCH "[^\n]*[Pp]olyrope[^\n]*" loud "${configure_output}")
    if(loud)
        message(FATAL_ERROR "embedded polyrope is not quiet: ${loud}")
    endif()
elseif(WAY STREQUAL "include_path")
    run("compiling" ${COMPILER} -std=c++17 -I ${SOURCE}/include ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${SCRATCH}/consumer)
    run("the consumer" ${SCRATCH}/consumer)
elseif(WAY STREQUAL "pkg_config")
    set(ENV{PKG_CONFIG_PATH} ${prefix}/share/pkgconfig)
    run("pkg-config" ${PKG_CONFIG} --cflags "polyrope = ${VERSION}")
    separate_arguments(flags UNIX_COMMAND "${output}")
    run("compiling" ${COMPILER} -std=c++17 ${flags} ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${SCRATCH}/consumer)
    run("the consumer" ${SCRATCH}/consumer)
else()
    message(FATAL_ERROR "no such way: ${WAY}")
endif()
