// In a buffer: see atomic.cuh.
#include "atomic.cuh"

KERNELS(global)
KERNEL(global, add, f16x2, AddHalves<false>, , false)
KERNEL(global, add, f16x2, AddHalves<true>, _used, true)
KERNEL(global, cas, f16x2, Cas, , false)
KERNEL(global, add_generic, f16x2, Add, , false)  // no twin: GLSL has no address without a memory
KERNEL_ADD_KNOWN(, false)
KERNEL_ADD_KNOWN(_used, true)
