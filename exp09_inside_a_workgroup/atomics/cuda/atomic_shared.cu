// In shared memory: see atomic.cuh.
#include "atomic.cuh"

KERNELS(shared)
