# For CMAKE_PROJECT_INCLUDE: bench_core and bench_vulkan are those of the build in BENCH_BUILT, and are not compiled again. test_new_experiment.py
# builds a copy of the repository so.
cmake_language(DEFER CALL bench_use_built_libraries)

function(bench_use_built_libraries)
  set(nothing ${PROJECT_BINARY_DIR}/nothing.cpp)
  file(WRITE ${nothing} "")
  foreach(room core vulkan)
    add_library(built_${room} STATIC IMPORTED)
    set_property(TARGET built_${room} PROPERTY IMPORTED_LOCATION ${BENCH_BUILT}/common/${room}/libbench_${room}.a)
    set_property(TARGET bench_${room} PROPERTY SOURCES ${nothing})
    target_link_libraries(bench_${room} PUBLIC built_${room})
  endforeach()
  target_link_libraries(built_core INTERFACE bench_gbenchmark bench_zstd Threads::Threads ${CMAKE_DL_LIBS})
  target_link_libraries(built_vulkan INTERFACE built_core)
endfunction()
