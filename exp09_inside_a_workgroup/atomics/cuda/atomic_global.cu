// In a buffer: see atomic.cuh.
#include "atomic.cuh"

KERNELS(global)
KERNEL(global, add, f16x2, AddHalves, , false)  // no twin in GLSL
