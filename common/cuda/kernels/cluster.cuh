// A cluster's ranks, barriers and addresses. PTX ISA 8.1, sm_90.
// No block returns before all of its cluster have come to a last cluster_sync: its shared memory may still be reached.
#pragma once

#include "cuda/kernels/bulk.cuh"

// Launched with a cluster size always. Without saying so, every cluster barrier would first ask whether there is a cluster.
#define CLUSTER_KERNEL extern "C" __global__ void __cluster_dims__()

__device__ __forceinline__ uint cluster_rank() {
  uint rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ uint cluster_blocks() {
  uint blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}

// The shared::cluster address of what `pointer` is in the block of that rank.
__device__ __forceinline__ uint at_rank(const void* pointer, uint rank) {
  uint address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(pointer)), "r"(rank));
  return address;
}

__device__ __forceinline__ void arrive_release() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
// There is no relaxed wait.
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
// By whole warps.
__device__ __forceinline__ void cluster_sync() {
  __syncwarp();
  arrive_release();
  cluster_wait();
}

__device__ __forceinline__ void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// At another block's barrier, to say that this block has read what it was sent. Releases to the block only, as it does in
// practice: what was read is in registers by then, and nothing was written. To the cluster it would be a MEMBAR.ALL.GPU.
__device__ __forceinline__ void arrive_remote(uint barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
