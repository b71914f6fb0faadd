# The Vulkan side, on whatever Vulkan device the machine has (mesa-vulkan-drivers' lavapipe will do); skipped without one.
add_executable(vulkan_test vulkan_device_test.cpp vulkan_timer_test.cpp vulkan_timestamp_test.cpp)
target_link_libraries(vulkan_test PRIVATE bench_warnings bench_vulkan GTest::gtest_main)
# The kernels are embedded in bench_vulkan.
target_include_directories(vulkan_test PRIVATE $<TARGET_PROPERTY:bench_vulkan,INCLUDE_DIRECTORIES>)
# Drivers leak, and are unloaded before the leak checker could name them in a suppression.
set(vulkan_environment "")
if(BENCH_ASAN)
  set(vulkan_environment ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
# One at a time: some compare clocks.
gtest_discover_tests(vulkan_test PROPERTIES LABELS "vulkan" RUN_SERIAL TRUE ${vulkan_environment} DISCOVERY_MODE PRE_TEST)

# The experiments themselves.
add_executable(programs_test programs_test.cpp)
target_link_libraries(programs_test PRIVATE bench_warnings bench_core GTest::gmock GTest::gtest_main)
target_compile_definitions(programs_test PRIVATE BENCH_PROGRAMS="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(programs_test exp01_vector_add exp02_descriptors exp06_litmus)
gtest_discover_tests(programs_test PROPERTIES LABELS "vulkan" ${vulkan_environment} DISCOVERY_MODE PRE_TEST)

# A program is killed, started twice and deprived of its outputs.
add_executable(killed_run_test killed_run_test.cpp)
target_link_libraries(killed_run_test PRIVATE bench_warnings bench_core GTest::gmock GTest::gtest_main)
target_compile_definitions(killed_run_test PRIVATE BENCH_TEST_PROGRAM="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/exp01_vector_add")
add_dependencies(killed_run_test exp01_vector_add)
gtest_discover_tests(killed_run_test PROPERTIES LABELS "vulkan" ${vulkan_environment} DISCOVERY_MODE PRE_TEST)
