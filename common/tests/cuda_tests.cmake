# The CUDA side's tests: cuda_unit_test needs no GPU.
bench_test(NAME cuda_unit_test SOURCES cuda_backend_test.cpp LIBRARIES bench_cuda)
if(BENCH_HAVE_CUDA)
  target_sources(cuda_unit_test PRIVATE cuda_parts_test.cpp)
  target_link_libraries(cuda_unit_test PRIVATE bench_cudart)
  bench_embed_kernels(cuda_unit_test SET cuda_unit CUDA ../cuda/kernels/spin.cu CUDA_SM90 cluster_rank.cu)

  if(EXISTS ${BENCH_CUDA_INCLUDE}/cupti_pmsampling.h)
    string(REGEX MATCH "^[0-9]+" cuda_major "${_cuda_version}")
    add_library(cycles_cupti SHARED cycles_cupti.cpp)
    set_target_properties(cycles_cupti PROPERTIES OUTPUT_NAME cupti SOVERSION ${cuda_major} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    target_link_libraries(cycles_cupti PRIVATE bench_warnings bench_cudart)
    bench_test(NAME pm_sampler_test SOURCES pm_sampler_test.cpp DEPENDS cycles_cupti LIBRARIES bench_cuda bench_cudart
      DEFINITIONS BENCH_CYCLES_CUPTI="$<TARGET_FILE:cycles_cupti>")
  endif()

  bench_test(NAME cuda_test LABEL gpu SOURCES cuda_device_test.cpp LIBRARIES bench_cuda bench_cudart)
  bench_embed_kernels(cuda_test SET cuda_test CUDA ../cuda/kernels/evict_l2.cu ../cuda/kernels/spin.cu free_arguments.cu CUDA_SM90 cluster_rank.cu)
endif()

# Both APIs on one GPU.
bench_test(NAME interop_test LABEL gpu SOURCES interop_test.cpp LIBRARIES bench_backends)
