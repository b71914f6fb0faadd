// Decides which jobs run, and how large, and tells the SWITCH node of each, which has a body for each size: 8 bytes read a
// node. No GLSL twin: Vulkan has indirect dispatches.
#include "cuda/set_conditions.cuh"

extern "C" __global__ void plan_switch(const cudaGraphConditionalHandle* handles, unsigned int* errors, PlanParams params) {
  // Of no blocks: a value that no body has.
  set_conditions(handles, errors, params, [](unsigned int blocks) { return blocks != 0 ? blocks - 1 : EXP08_MOST_BLOCKS; });
}
