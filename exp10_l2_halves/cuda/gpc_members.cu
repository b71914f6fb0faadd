// No GLSL twin: Vulkan has no clusters.
// Each block stores which SM ran it. The blocks of a cluster run on SMs of one GPC (CUDA C++ Programming Guide, "Thread Block
// Clusters"), so SMs that a cluster joined belong together.
#include "cuda/kernels/sm_id.cuh"
#include "params.h"

extern "C" __global__ void gpc_members(uint* sms, GpcParams params) {
  // Long enough for all blocks that fit to be there at once.
  uint value = blockIdx.x;
  for (uint step = 0; step < params.steps; ++step) value = EXP10_SPUN(value);
  if (threadIdx.x == 0 && blockIdx.x < params.count) sms[blockIdx.x] = value == EXP10_POISON ? 0 : sm_id();
}
