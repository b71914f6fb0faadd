# The CUDA side's tests: cuda_unit_test needs no GPU, cuda_test skips without one.
add_executable(cuda_unit_test cuda_backend_test.cpp)
target_link_libraries(cuda_unit_test PRIVATE bench_warnings bench_core bench_cuda GTest::gtest_main)
if(BENCH_HAVE_CUDA)
  target_sources(cuda_unit_test PRIVATE cuda_parts_test.cpp)
  target_link_libraries(cuda_unit_test PRIVATE bench_cudart GTest::gmock)
  bench_embed_kernels(cuda_unit_test SET cuda_unit CUDA ../cuda/kernels/spin.cu CUDA_SM90 cluster_rank.cu)
endif()
gtest_discover_tests(cuda_unit_test PROPERTIES LABELS unit DISCOVERY_MODE PRE_TEST)

if(BENCH_HAVE_CUDA)
  add_executable(cuda_test cuda_device_test.cpp)
  target_link_libraries(cuda_test PRIVATE bench_warnings bench_core bench_cuda bench_cudart GTest::gtest_main)
  bench_embed_kernels(cuda_test SET cuda_test CUDA ../cuda/kernels/evict_l2.cu ../cuda/kernels/spin.cu CUDA_SM90 cluster_rank.cu)
  gtest_discover_tests(cuda_test PROPERTIES LABELS gpu DISCOVERY_MODE PRE_TEST)
endif()

# Both APIs on one GPU.
add_executable(interop_test interop_test.cpp)
target_link_libraries(interop_test PRIVATE bench_warnings bench_core bench_cuda bench_vulkan GTest::gtest_main)
gtest_discover_tests(interop_test PROPERTIES LABELS gpu DISCOVERY_MODE PRE_TEST)
