# cmake -DSOURCE=main.cpp -DINCLUDE= -DEXPECTED=<file> -DCOUNT=<values> -DCOMPILER= "-DFLAGS=..." -DEMULATOR= -DSCRATCH=
# -P same_bits.cmake
#
# Compiles the program with the flags and wants its checksums to be the stored ones. The flags are left out of the link:
# -ffast-math there would make the whole program flush subnormals from its start.
cmake_minimum_required(VERSION 3.25)

separate_arguments(flags UNIX_COMMAND "${FLAGS}")
file(MAKE_DIRECTORY ${SCRATCH})
function(run what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${what} failed (${result}):\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

run("compiling" ${COMPILER} -std=c++17 ${flags} -I ${INCLUDE} -c ${SOURCE} -o ${SCRATCH}/same_bits.o)
run("linking" ${COMPILER} ${SCRATCH}/same_bits.o -o ${SCRATCH}/same_bits)
run("turning at every level" ${EMULATOR} ${SCRATCH}/same_bits ${COUNT})
file(WRITE ${SCRATCH}/found.txt "${output}")
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
    execute_process(COMMAND diff ${EXPECTED} ${SCRATCH}/found.txt OUTPUT_VARIABLE difference)
    message(FATAL_ERROR "${COMPILER} ${FLAGS} gives other bits than ${EXPECTED}:\n${difference}")
endif()
message(STATUS "${COUNT} values and as many sines and cosines: the stored bits, with ${COMPILER} ${FLAGS}")
