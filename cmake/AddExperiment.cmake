# add_experiment(NAME <expNN_name> [TWINS <stem>...] [CUDA <file.cu>...] [GLSL <file.comp>...] [SOURCES <more.cpp>...]
#                [GLSL_INSTANCES <spec>...] [CUDA_INSTANCES <spec>...]
#                [TWINS_SM80 <stem>...] [CUDA_SM80 <file.cu>...] [CUDA_SM89 <file.cu>...] [CUDA_SM90 <file.cu>...] [CUDA_SM90A <file.cu>...]
#                [TWINS_LINKED <stem>...] [CUDA_LINKED <file.cu>...] [MEASURING <file>...])
#
# One program from main.cpp in the calling directory, with its kernels embedded (see EmbedKernels.cmake: the set is called
# <expNN>), linked with both APIs, and one smoke test: every case at its smallest size, on whatever device the machine has
# (exit code 77 = skipped). List the sources; a file that is not listed is not built. Program and claims go into the package.
#
# A twin is cuda/<stem>.cu and glsl/<stem>.comp, either of which may be an instance: a kernel that only sets macros and includes
# a body, written at configure time from one line of GLSL_INSTANCES or CUDA_INSTANCES (see KernelInstances.cmake). CUDA and GLSL are for kernels that the other API has no file of that stem for.
# The lists with SM80, SM89 and SM90: CUDA code with instructions of that compute capability, not built for older GPUs. SM90A: with
# those of sm_90a, which no newer GPU has either. LINKED: CUDA code that calls CUDA's device runtime.
# MEASURING: files of common/ that this program measures with, and few others do (see MeasuringSources.cmake).
function(add_experiment)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME"
                        "TWINS;TWINS_SM80;TWINS_LINKED;CUDA;CUDA_SM80;CUDA_SM89;CUDA_SM90;CUDA_SM90A;CUDA_LINKED;GLSL;GLSL_INSTANCES;CUDA_INSTANCES;SOURCES;MEASURING")
  bench_kernel_instances(${CMAKE_CURRENT_BINARY_DIR}/instances ${CMAKE_CURRENT_SOURCE_DIR}
                         GLSL ${arg_GLSL_INSTANCES} CUDA ${arg_CUDA_INSTANCES})
  foreach(source IN LISTS arg_CUDA arg_CUDA_SM80 arg_CUDA_SM89 arg_CUDA_SM90 arg_CUDA_SM90A arg_CUDA_LINKED)
    cmake_path(GET source STEM stem)
    if("glsl/${stem}.comp" IN_LIST arg_GLSL)
      message(FATAL_ERROR "${arg_NAME}: ${stem} stands under CUDA and GLSL; list it once, under TWINS")
    endif()
  endforeach()
  foreach(least "" _SM80 _LINKED)
    foreach(stem IN LISTS arg_TWINS${least})
      set(cu cuda/${stem}.cu)
      if(stem IN_LIST cuda_instances)
        set(cu ${instance_${stem}_cu})
      endif()
      list(APPEND arg_CUDA${least} ${cu})
      if(NOT stem IN_LIST glsl_instances)
        list(APPEND arg_GLSL glsl/${stem}.comp)
      endif()
    endforeach()
  endforeach()
  foreach(stem IN LISTS glsl_instances)
    list(APPEND arg_GLSL ${instance_${stem}_comp})
    if(instance_${stem}_since)
      set_source_files_properties(${instance_${stem}_comp} PROPERTIES BENCH_GLSLANG_SINCE ${instance_${stem}_since})
    endif()
  endforeach()
  foreach(stem IN LISTS cuda_instances)
    if(NOT stem IN_LIST arg_TWINS AND NOT stem IN_LIST arg_TWINS_SM80)
      list(APPEND arg_CUDA${instance_${stem}_least} ${instance_${stem}_cu})
    endif()
  endforeach()
  add_executable(${arg_NAME} main.cpp ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY bench_programs ${arg_NAME})
  target_link_libraries(${arg_NAME} PRIVATE bench_warnings bench_backends)
  target_precompile_headers(${arg_NAME} REUSE_FROM bench_core)
  add_dependencies(${arg_NAME} bench_libraries)
  string(REGEX MATCH "^exp[0-9]+" set ${arg_NAME})
  bench_embed_kernels(${arg_NAME} SET ${set} GLSL ${arg_GLSL}
                      CUDA ${arg_CUDA} CUDA_SM80 ${arg_CUDA_SM80} CUDA_SM89 ${arg_CUDA_SM89} CUDA_SM90 ${arg_CUDA_SM90} CUDA_SM90A ${arg_CUDA_SM90A} CUDA_LINKED ${arg_CUDA_LINKED})
  bench_measuring_sources(${arg_NAME} FILES main.cpp ${arg_SOURCES} ${arg_GLSL} ${arg_CUDA} ${arg_CUDA_SM80} ${arg_CUDA_SM89}
                          ${arg_CUDA_SM90} ${arg_CUDA_SM90A} ${arg_CUDA_LINKED} ${arg_MEASURING})
  target_include_directories(${arg_NAME} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  install(TARGETS ${arg_NAME} DESTINATION bin)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  install(FILES README.md DESIGN.md claims.toml DESTINATION ${folder})
  install(FILES analysis.py differs.toml DESTINATION ${folder} OPTIONAL)
  # What a kernel's turn is asked to do stands beside it, and is read where the listings of a pair are judged.
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  install(FILES ${headers} DESTINATION ${folder})
  install(DIRECTORY cuda glsl DESTINATION ${folder} OPTIONAL)
  if(BENCH_TESTS)
    add_test(NAME smoke.${arg_NAME} COMMAND ${arg_NAME} --smoke)
    set_tests_properties(smoke.${arg_NAME} PROPERTIES LABELS smoke SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
endfunction()
