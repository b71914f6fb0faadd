// One block's barriers and fences: see loop.cuh.
#include "loop.cuh"

#define NONE(step) true
#define SYNCTHREADS(step) (__syncthreads(), true)
#define NAMED(step) (named(), true)
#define NAMED_COUNT(step) (named_count(), true)
#define UNALIGNED(step) (unaligned(), true)
#define SYNCTHREADS_OR(step) (__syncthreads_or(step == params.spins + 1) == 0)
#define MEMORY_SHARED(step) (__threadfence_block(), true)
#define MEMORY_THEN_BARRIER(step) (__threadfence_block(), __syncthreads(), true)
#define BARRIER_DEVICE(step) (__threadfence(), __syncthreads(), true)
#define SYNCWARP(step) (__syncwarp(), true)

__device__ __forceinline__ void named() { asm volatile("bar.sync 1;" ::: "memory"); }
__device__ __forceinline__ void named_count() { asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory"); }
__device__ __forceinline__ void unaligned() { asm volatile("barrier.sync 0;" ::: "memory"); }

BARRIER(none, NONE)
BARRIER(barrier, SYNCTHREADS)
BARRIER(named, NAMED)
BARRIER(named_count, NAMED_COUNT)
BARRIER(unaligned, UNALIGNED)
BARRIER(barrier_or, SYNCTHREADS_OR)
BARRIER(memory_shared, MEMORY_SHARED)
BARRIER(memory_then_barrier, MEMORY_THEN_BARRIER)
BARRIER(barrier_device, BARRIER_DEVICE)
BARRIER(subgroup, SYNCWARP)
