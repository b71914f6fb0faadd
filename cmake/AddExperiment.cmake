# add_experiment(NAME <expNN_name> [CUDA <file.cu>...] [GLSL <file.comp>...] [SOURCES <more.cpp>...])
#
# One program from main.cpp in the calling directory, with its kernels embedded (see EmbedKernels.cmake: the set is called
# <expNN>), linked with both APIs, and one smoke test: every case at its smallest size, on whatever device the machine has
# (exit code 77 = skipped). List the sources; a file that is not listed is not built.
function(add_experiment)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "CUDA;GLSL;SOURCES")
  add_executable(${arg_NAME} main.cpp ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE bench_warnings bench_core bench_cuda bench_vulkan)
  if(TARGET bench_copy_gbenchmark)
    add_dependencies(${arg_NAME} bench_copy_gbenchmark)
  endif()
  string(REGEX MATCH "^exp[0-9]+" set ${arg_NAME})
  bench_embed_kernels(${arg_NAME} SET ${set} CUDA ${arg_CUDA} GLSL ${arg_GLSL})
  target_include_directories(${arg_NAME} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  if(BENCH_TESTS)
    add_test(NAME smoke.${arg_NAME} COMMAND ${arg_NAME} --smoke)
    set_tests_properties(smoke.${arg_NAME} PROPERTIES LABELS smoke SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
endfunction()
