# The Vulkan side, on whatever Vulkan device the machine has.
# Drivers leak, and are unloaded before the leak checker could name them in a suppression.
set(vulkan_environment "")
if(BENCH_ASAN)
  set(vulkan_environment ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
# The kernels are embedded in bench_vulkan. One at a time: some compare clocks.
bench_test(NAME vulkan_test LABEL vulkan LIBRARIES bench_vulkan bench_vulkan_headers PROPERTIES RUN_SERIAL TRUE ${vulkan_environment}
  SOURCES free_arguments_test.cpp vulkan_device_test.cpp vulkan_timer_test.cpp vulkan_timestamp_test.cpp
  INCLUDES $<TARGET_PROPERTY:bench_vulkan,INCLUDE_DIRECTORIES>)
bench_embed_kernels(vulkan_test SET vulkan_test GLSL free_arguments.comp)

# What the Vulkan side decides over plain data.
bench_test(NAME vulkan_unit_test SOURCES capabilities_test.cpp memory_type_test.cpp LIBRARIES bench_vulkan bench_vulkan_headers
  INCLUDES $<TARGET_PROPERTY:bench_vulkan,INCLUDE_DIRECTORIES>)

# The experiments themselves. Alone: some measure, which a program refuses where another keeps the GPU busy.
bench_test(NAME programs_test LABEL vulkan SOURCES programs_test.cpp PROPERTIES RUN_SERIAL TRUE ${vulkan_environment}
  DEFINITIONS BENCH_PROGRAMS="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" DEPENDS exp01_vector_add exp02_descriptors exp06_litmus)

# A program is killed, started twice and deprived of its outputs.
bench_test(NAME killed_run_test LABEL vulkan SOURCES killed_run_test.cpp PROPERTIES ${vulkan_environment}
  DEFINITIONS BENCH_TEST_PROGRAM="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/exp01_vector_add" DEPENDS exp01_vector_add)

# A third backend beside the two, for which no file above the backends is edited: exp01's own objects, and another list of backends.
add_executable(exp01_third_backend third_backend/backends.cpp third_backend/cpu_backend.cpp third_backend/exp01_kernels.cpp
  $<TARGET_OBJECTS:exp01_vector_add>)
set_target_properties(exp01_third_backend PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_include_directories(exp01_third_backend PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/exp01_vector_add)
target_link_libraries(exp01_third_backend PRIVATE bench_warnings bench_core bench_cuda bench_vulkan)
bench_test(NAME third_backend_test SOURCES third_backend_test.cpp PROPERTIES ${vulkan_environment}
  DEFINITIONS BENCH_TEST_PROGRAM="${PROJECT_BINARY_DIR}/tests/exp01_third_backend" DEPENDS exp01_third_backend)
