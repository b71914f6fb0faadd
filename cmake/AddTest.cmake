# bench_test(NAME <name> SOURCES <file.cpp>... [LIBRARIES <target>...] [INCLUDES <folder>...] [DEPENDS <target>...]
#            [LABEL <unit|vulkan|gpu>] [PREFIX <words>] [PROPERTIES <name> <value>...])
#
# A GoogleTest program in the build's folder tests/, linked with bench_core and with what LIBRARIES names; each of its tests is one of
# ctest's. Nothing without BENCH_TESTS. unit (the default) needs no GPU, vulkan any Vulkan device (lavapipe will do), gpu an NVIDIA GPU;
# the last two are skipped where there is none. PREFIX stands before the tests' names. INCLUDES also finds what common/tests has.
function(bench_test)
  if(NOT BENCH_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LABEL;PREFIX" "SOURCES;LIBRARIES;INCLUDES;DEPENDS;PROPERTIES")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  _bench_test_options(${arg_NAME})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests LINKER_LANGUAGE CXX)
  target_include_directories(${arg_NAME} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/common/tests ${arg_INCLUDES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  if(arg_DEPENDS)
    add_dependencies(${arg_NAME} ${arg_DEPENDS})
  endif()
  gtest_discover_tests(${arg_NAME} TEST_PREFIX "${arg_PREFIX}" PROPERTIES LABELS ${arg_LABEL} ${arg_PROPERTIES} DISCOVERY_MODE PRE_TEST)
endfunction()

# The tests' own code runs once: to optimise it takes longer. One precompiled header is all tests'.
function(_bench_test_options target)
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE bench_warnings bench_core GTest::gmock)
  if(target STREQUAL "bench_test_headers")
    target_precompile_headers(${target} PRIVATE <fmt/format.h> <functional> <gmock/gmock.h> <gtest/gtest.h> <map>)
  else()
    target_precompile_headers(${target} REUSE_FROM bench_test_headers)
  endif()
endfunction()

if(BENCH_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  enable_testing()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "// For its precompiled header.\n")
  add_library(bench_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  _bench_test_options(bench_test_headers)
endif()
