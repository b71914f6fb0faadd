// In shared memory: see atomic.cuh.
#include "atomic.cuh"

KERNELS(shared)
KERNEL(shared, add, f16x2, AddHalvesShared, , false)
