// work, which lets the next launch of its stream begin at once, and never waits for the one before: no launch reads or
// overwrites what another writes. 16 bytes written a block. Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch
// and Synchronization"; PTX ISA, "griddepcontrol". No GLSL twin: Vulkan's dispatches without barriers are work.comp's.
#include "cuda/work.cuh"

extern "C" __global__ void work_programmatic(unsigned int* tags, unsigned int* trace, WorkParams params) {
  asm volatile("griddepcontrol.launch_dependents;");
  run_block(tags, trace, params);
}
