// What multicast.cu is made of: waits, copies to all, and sums, each for one warp.
#pragma once

#include "cluster.cuh"

// For whom a wait orders what others did: for this block, or for the cluster.
enum class Scope { kBlock, kCluster };

template <Scope SCOPE>
__device__ __forceinline__ bool wait(unsigned long long* barrier, uint parity) {
  return SCOPE == Scope::kCluster ? cluster_barrier_wait(barrier, parity) : barrier_wait(barrier, parity);
}

// At rank 0's word for it: somewhere in the cluster a wait ran out.
__device__ __forceinline__ void tell_failed(uint there) {
  asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" ::"r"(there) : "memory");
}
__device__ __forceinline__ bool has_failed(const uint* failed) {
  uint value;
  asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(failed)) : "memory");
  return value != 0;
}

// A lane's part of 4 KiB: 16 bytes of every 512, its words times their weights.
__device__ __forceinline__ uint sum_of_piece(const unsigned char* slot, uint lane) {
  constexpr uint kVectors = EXP06_CHUNK_BYTES / 512;
  uint sum = 0;
#pragma unroll
  for (uint i = 0; i < kVectors; ++i) {
    const uint4 value = load_shared(reinterpret_cast<const uint4*>(slot) + i * 32 + lane);
    const uint first = (i * 32 + lane) * 4;
    sum += value.x * EXP06_WEIGHT(first) + value.y * EXP06_WEIGHT(first + 1) + value.z * EXP06_WEIGHT(first + 2) +
           value.w * EXP06_WEIGHT(first + 3);
  }
  return sum;
}

template <Scope SCOPE>
__device__ __forceinline__ void arrive_at(uint remote_barrier) {
  if constexpr (SCOPE == Scope::kCluster) {
    arrive_remote_release(remote_barrier);
  } else {
    arrive_remote(remote_barrier);
  }
}

// To the same place in every block of the mask, each of which is told at its own barrier.
__device__ __forceinline__ void bulk_load_to(void* to, const void* from, uint bytes, unsigned long long* barrier,
                                             unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}
