// No GLSL twin: Vulkan has no asynchronous copies.
// read_bulk through a 2-D tensor map.
#include "exp06_memory_model/cuda/read_tensor.cuh"

extern "C" __global__ void read_tma(const unsigned char*, uint* sums, const __grid_constant__ TmaParams params) {
  read_tensor(sums, params);
}
