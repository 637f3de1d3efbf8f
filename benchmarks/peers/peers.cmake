# Peers, where they are installed; included by benchmarks/CMakeLists.txt, whose target run_bench they join. ggml is
# found as a CMake package (CMAKE_PREFIX_PATH), torch in the Python that CMake finds (Python3_EXECUTABLE names another).
# A peer that is missing costs one line of run_bench's output.

find_package(ggml QUIET)
if(TARGET ggml::ggml-cpu)
    add_executable(bench_peer_ggml peers/ggml.cpp)
    target_include_directories(bench_peer_ggml PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(bench_peer_ggml PRIVATE GGML_INSTALLED_VERSION="${ggml_VERSION}")
    target_link_libraries(bench_peer_ggml PRIVATE polyrope::polyrope polyrope_warnings benchmark::benchmark
        ggml::ggml-cpu ggml::ggml-base Threads::Threads ${CMAKE_DL_LIBS})
    add_custom_command(TARGET run_bench POST_BUILD
        COMMAND bench_peer_ggml --benchmark_out=${PROJECT_BINARY_DIR}/peer_ggml.json --benchmark_out_format=json
        USES_TERMINAL)
    add_dependencies(run_bench bench_peer_ggml)
else()
    add_custom_command(TARGET run_bench POST_BUILD COMMAND ${CMAKE_COMMAND} -E echo "peer ggml: not installed, skipped")
endif()

# After rotate_cpu.json, whose times it prints beside torch's.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND)
    add_custom_command(TARGET run_bench POST_BUILD
        COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/torch_peer.py ${PROJECT_BINARY_DIR}/rotate_cpu.json
        USES_TERMINAL)
else()
    add_custom_command(TARGET run_bench POST_BUILD COMMAND ${CMAKE_COMMAND} -E echo "peer torch: no Python, skipped")
endif()
