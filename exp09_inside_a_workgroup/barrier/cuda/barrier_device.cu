// A fence of all memory for the device, acquire and release, and then the barrier: see loop.cuh.
#include "loop.cuh"

__device__ __forceinline__ void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

#define BARRIER_DEVICE(step) (fence_device(), __syncthreads(), true)
BARRIER(barrier_device, BARRIER_DEVICE)
