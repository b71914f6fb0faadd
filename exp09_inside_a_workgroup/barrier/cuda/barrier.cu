// One block's barriers and fences: see loop.cuh.
#include "loop.cuh"

#define NONE(step) true
#define SYNCTHREADS(step) (__syncthreads(), true)
#define NAMED(step) (named(), true)
#define NAMED_COUNT(step) (named_count(), true)
#define UNALIGNED(step) (unaligned(), true)
#define SYNCTHREADS_OR(step) (__syncthreads_or(step == params.spins + 1) == 0)
#define THREADFENCE_BLOCK(step) (__threadfence_block(), true)
#define THREADFENCE_BLOCK_THEN_BARRIER(step) (__threadfence_block(), __syncthreads(), true)
#define FENCE_BLOCK(step) (fence_block(), true)
#define FENCE_BLOCK_THEN_BARRIER(step) (fence_block(), __syncthreads(), true)
#define SYNCWARP(step) (__syncwarp(), true)

__device__ __forceinline__ void named() { asm volatile("bar.sync 1;" ::: "memory"); }
__device__ __forceinline__ void named_count() { asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory"); }
// All of a block's memory, acquire and release: __threadfence_block() is sequentially consistent.
__device__ __forceinline__ void fence_block() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
__device__ __forceinline__ void unaligned() { asm volatile("barrier.sync 0;" ::: "memory"); }

BARRIER(none, NONE)
BARRIER(barrier, SYNCTHREADS)
BARRIER(named, NAMED)
BARRIER(named_count, NAMED_COUNT)
BARRIER(unaligned, UNALIGNED)
BARRIER(barrier_or, SYNCTHREADS_OR)
BARRIER(threadfence_block, THREADFENCE_BLOCK)
BARRIER(threadfence_block_then_barrier, THREADFENCE_BLOCK_THEN_BARRIER)
BARRIER(fence_block, FENCE_BLOCK)
BARRIER(fence_block_then_barrier, FENCE_BLOCK_THEN_BARRIER)
BARRIER(subgroup, SYNCWARP)
