# The parsers of what drivers hand out, under libFuzzer: only with BENCH_FUZZ, and with clang. The parsers' sources are compiled
# anew, with the fuzzer's instrumentation.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "BENCH_FUZZ needs clang (preset fuzz): libFuzzer is a part of it")
endif()
add_executable(machine_code_fuzz
  ${CMAKE_CURRENT_LIST_DIR}/machine_code_fuzz.cpp
  ${PROJECT_SOURCE_DIR}/common/core/code/machine_code.cpp
  ${PROJECT_SOURCE_DIR}/common/core/code/nv_cache.cpp)
target_include_directories(machine_code_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/common)
target_link_libraries(machine_code_fuzz PRIVATE bench_warnings bench_zstd fmt::fmt-header-only)
target_compile_options(machine_code_fuzz PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
target_link_options(machine_code_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
