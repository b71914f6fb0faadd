# bench_warnings: what every C++ target of the suite is compiled with. Third-party headers come in as SYSTEM.
add_library(bench_warnings INTERFACE)
target_compile_options(bench_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
                       -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${BENCH_WERROR}>:-Werror>
                       # False ones: GCC 13 finds such in fmt, GCC 14 in std::variant, once these are inlined here.
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>
                       # Messages name a source file from the repository's root on.
                       -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A unity build's few sources are large: on collecting garbage GCC would spend a tenth of its time.
  target_compile_options(bench_warnings INTERFACE --param=ggc-min-expand=300 --param=ggc-min-heapsize=1000000)
endif()
if(BENCH_ASAN)
  target_compile_options(bench_warnings INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(bench_warnings INTERFACE -fsanitize=address,undefined)
endif()
