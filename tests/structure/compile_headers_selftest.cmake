# cmake -DSCRATCH=<folder> -DCOMPILER=<c++> -P compile_headers_selftest.cmake
#
# Plants headers that do not compile alone and wants compile_headers.cmake to say so.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${SCRATCH})
set(failed 0)
function(plant name file text wanted_result wanted)
    set(house ${SCRATCH}/${name})
    file(WRITE ${house}/polyrope/${file} "${text}")
    string(REGEX MATCH "^[a-z]*" room "${file}")
    execute_process(
        COMMAND ${CMAKE_COMMAND} -DROOT=${house} -DSCRATCH=${house} -DCOMPILER=${COMPILER} -DFLAGS=-std=c++17 -DMODE=alone
            -DROOM=${room} -P ${CMAKE_CURRENT_LIST_DIR}/compile_headers.cmake
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(FIND "${output}" "${wanted}" place)
    if(NOT result EQUAL wanted_result OR place EQUAL -1)
        message(NOTICE "${name}: wanted ${wanted_result} and \"${wanted}\", got ${result}:\n${output}")
        math(EXPR failed "${failed} + 1")
        set(failed ${failed} PARENT_SCOPE)
    endif()
endfunction()

plant(good core/good.hpp "#pragma once\n#include <cstdint>\ninline std::int64_t one() { return 1; }\n" 0 "1 headers compile")
plant(leaning core/leaning.hpp "#pragma once\ninline std::int64_t one() { return 1; }\n" 1 "core/leaning.hpp does not")
plant(unguarded core/unguarded.hpp "inline int one() { return 1; }\n" 1 "core/unguarded.hpp does not")
plant(foreign_core core/foreign.hpp "#pragma once\n#include <no_such_library.h>\n" 1 "core/foreign.hpp does not")
plant(foreign_interop interop/foreign.hpp "#pragma once\n#include <no_such_library.h>\n" 0 "left out: interop/foreign.hpp")
plant(own_interop interop/own.hpp "#pragma once\n#include \"polyrope/no_such.hpp\"\n" 1 "interop/own.hpp does not")
plant(wrong_interop interop/wrong.hpp "#pragma once\nint\n" 1 "interop/wrong.hpp does not")

if(failed GREATER 0)
    message(FATAL_ERROR "${failed} planted headers were misjudged")
endif()
message(STATUS "every planted header was judged rightly")
