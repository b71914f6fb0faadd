// step, launched while the launch before still runs: griddepcontrol.wait returns once the grids before are complete and their
// writes are seen. The next launch may begin at once. 4 bytes read, 4 written. Source: PTX ISA, "griddepcontrol".
// No GLSL twin: Vulkan has no word for it.
#include "core/base/shader_types.h"

extern "C" __global__ void step_programmatic(const uint* in, uint* out) {
  asm volatile("griddepcontrol.launch_dependents;");
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[i] = in[i] + 1;
}
