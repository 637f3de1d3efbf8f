# cmake -D readme=... -D measures=... -P readme_measures.cmake: the README holds the matrix of measures as it is
# printed.
cmake_minimum_required(VERSION 3.25)

file(READ "${readme}" text)
file(READ "${measures}" matrix)
string(FIND "${text}" "${matrix}" place)
if(matrix STREQUAL "" OR place EQUAL -1)
    message(FATAL_ERROR "the matrix of measures in ${readme} is not that of ${measures}")
endif()
