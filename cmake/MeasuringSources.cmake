# bench_measuring_sources(<target> [FILES <file>...])
#
# Gives a program the hash of the sources that measure: rows of one hash are of one experiment, whatever commit they come from. They
# are the program's own files (FILES, and what stands beside them), and of common/ what launches, times, evicts and makes data. Comments and spacing do not count. What compiled them stands in a row's toolkit.
function(bench_measuring_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES")
  # What one API's build alone compiles (cuda_side.cpp) measures, too, and a row's hash is of both.
  file(GLOB ours CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER ours EXCLUDE REGEX "_test\\.cpp$")
  foreach(file IN LISTS arg_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND ours ${file})
  endforeach()
  # Headers of the program, and those that programs of its folder share.
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  while(NOT folder STREQUAL PROJECT_SOURCE_DIR)
    foreach(under "" cuda/ glsl/)
      file(GLOB headers CONFIGURE_DEPENDS ${folder}/${under}*.h ${folder}/${under}*.cuh ${folder}/${under}*.glsl)
      list(APPEND ours ${headers})
    endforeach()
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
  set(common ${PROJECT_SOURCE_DIR}/common)
  set(timing ${common}/core/timing/*.h ${common}/core/timing/*.cpp)
  foreach(room cuda/kernels cuda/launch cuda/measure cuda/memory vulkan/kernels vulkan/launch vulkan/measure vulkan/memory)
    list(APPEND timing ${common}/${room}/*.h ${common}/${room}/*.cpp ${common}/${room}/*.cu ${common}/${room}/*.cuh
         ${common}/${room}/*.comp ${common}/${room}/*.glsl)
  endforeach()
  foreach(part base/data_words base/random base/shader_types base/stats base/words device/checksum device/data_kernels
               experiment/workbench run/case_runner run/end_check)
    list(APPEND timing ${common}/core/${part}.*)
  endforeach()
  file(GLOB shared CONFIGURE_DEPENDS ${timing} ${common}/cuda/device/subject.*)
  # What reads listings, tells what a device lacks, or runs a user's own kernel: nothing of it is timed.
  list(FILTER shared EXCLUDE REGEX "/(pipeline_isa|capabilities|imported_kernel)\\.")
  list(APPEND ours ${shared})
  list(REMOVE_DUPLICATES ours)
  list(SORT ours)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_sources.txt)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_sources.cpp)
  file(GENERATE OUTPUT ${list} CONTENT "${ours}")
  set(script ${PROJECT_SOURCE_DIR}/cmake/HashSources.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DLIST=${list} -DOUTPUT=${output} -DROOT=${PROJECT_SOURCE_DIR} -DBUILT=${PROJECT_BINARY_DIR} -P ${script}
    DEPENDS ${ours} ${list} ${script}
    COMMENT "Hash of ${target}'s sources"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
