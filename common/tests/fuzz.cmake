# The parsers of what drivers and users hand out, under libFuzzer: only with BENCH_FUZZ, and with clang. The parsers' sources are
# compiled anew, with the fuzzer's instrumentation.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "BENCH_FUZZ needs clang (preset fuzz): libFuzzer is a part of it")
endif()
function(bench_fuzz_target name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/common)
  target_link_libraries(${name} PRIVATE bench_warnings bench_zstd bench_fmt)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
endfunction()
bench_fuzz_target(machine_code_fuzz
  ${CMAKE_CURRENT_LIST_DIR}/machine_code_fuzz.cpp
  ${PROJECT_SOURCE_DIR}/common/core/code/machine_code.cpp
  ${PROJECT_SOURCE_DIR}/common/core/code/nv_cache.cpp)
if(BENCH_HAVE_OWN_KERNEL)
  set(own ${PROJECT_SOURCE_DIR}/own_kernel)
  bench_fuzz_target(own_reader_fuzz
    ${own}/tests/own_reader_fuzz.cpp
    ${own}/compile/cuda_code.cpp
    ${own}/description/expression.cpp
    ${own}/description/keys.cpp
    ${own}/description/read.cpp
    ${PROJECT_SOURCE_DIR}/common/core/code/machine_code.cpp
    ${PROJECT_SOURCE_DIR}/common/core/code/spirv_module.cpp)
  target_include_directories(own_reader_fuzz PRIVATE ${own})
  target_include_directories(own_reader_fuzz SYSTEM PRIVATE ${BENCH_TOMLPP_INCLUDE})
  target_link_libraries(own_reader_fuzz PRIVATE muparser::muparser)
endif()
add_custom_target(fuzz DEPENDS machine_code_fuzz $<TARGET_NAME_IF_EXISTS:own_reader_fuzz>)
