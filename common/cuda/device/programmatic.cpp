#include "cuda/device/programmatic.h"

namespace bench::cuda {

void launch_programmatic(const Kernel& kernel, cudaStream_t stream, const std::array<std::uint32_t, 3>& grid, void** args) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid[0], grid[1], grid[2]);
  config.blockDim = dim3(kernel.spec().block_x);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  BENCH_CU(cudaLaunchKernelExC(&config, kernel.handle(), args), "{}", kernel.spec().entry);
}

}  // namespace bench::cuda
