// link, launched while the link before still runs: what needs nothing of it comes before griddepcontrol.wait, which returns
// once the grids before are complete and their writes are seen. The next link may be launched at once. 128 bytes read, 128
// written. Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; PTX ISA, "griddepcontrol".
// No GLSL twin: Vulkan has no word for it.
#include "params.h"

extern "C" __global__ void link_programmatic(unsigned int* rows, LinkParams params) {
  asm volatile("griddepcontrol.launch_dependents;");
  const unsigned int lane = threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  unsigned int x = params.from == EXP08_SEED ? EXP08_START(lane) : rows[params.from * EXP08_LANES + lane];
  for (unsigned int turn = 0; turn < params.turns; ++turn) x = EXP08_STEP(x);
  rows[params.to * EXP08_LANES + lane] = x;
}
