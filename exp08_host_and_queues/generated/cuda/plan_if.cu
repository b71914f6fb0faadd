// Decides which jobs run, and tells the IF node of each: 8 bytes read a node.
// No GLSL twin: Vulkan has indirect dispatches, and predicates of commands (exp08_dispatches).
#include "cuda/set_conditions.cuh"

extern "C" __global__ void plan_if(const cudaGraphConditionalHandle* handles, unsigned int* errors, PlanParams params) {
  set_conditions(handles, errors, params, [](unsigned int blocks) { return blocks != 0 ? 1U : 0U; });
}
