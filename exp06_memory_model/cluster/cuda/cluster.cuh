// What the kernels share: accesses to a cluster's shared memory, and what a block writes in the end. PTX ISA 8.1, sm_90.
#pragma once

#include "cuda/kernels/cluster.cuh"
#include "cuda/kernels/sm_id.cuh"
#include "params.h"

__device__ __forceinline__ uint cycles() {
  uint now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

// barrier_try for what other blocks of the cluster have written.
__device__ __forceinline__ bool cluster_try(unsigned long long* barrier, uint parity) {
  uint done;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

// False if it has not come true in a second.
template <class Done>
__device__ __forceinline__ bool wait_until(const Done& done) {
  if (done()) return true;
  const unsigned long long begin = timer_ns();
  while (timer_ns() - begin < 1000000000ull) {
    if (done()) return true;
  }
  return false;
}

__device__ __forceinline__ bool cluster_barrier_wait(unsigned long long* barrier, uint parity) {
  return wait_until([&] { return cluster_try(barrier, parity); });
}

// arrive_remote, and what has been read is ordered before what follows the other block's wait, but for the proxy: a copy that
// follows writes through another one, before which nobody fences reads.
__device__ __forceinline__ void arrive_remote_release(uint barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// At a barrier of the block's own: so many bytes will come, and nothing is released, not even to the block.
__device__ __forceinline__ void barrier_expect_relaxed(unsigned long long* barrier, uint bytes) {
  asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

// Accesses to shared::cluster addresses.
__device__ __forceinline__ uint4 load_remote(uint from) {
  uint4 value;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(from)
               : "memory");
  return value;
}
__device__ __forceinline__ void store_remote(uint to, uint4 value) {
  asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}
// Reports 16 bytes to a barrier of the same block.
__device__ __forceinline__ void store_async(uint to, uint4 value, uint barrier) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
               "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
               : "memory");
}
__device__ __forceinline__ uint4 load_shared(const uint4* from) {
  uint4 value;
  asm volatile("ld.shared::cta.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(shared_address(from))
               : "memory");
  return value;
}
__device__ __forceinline__ void store_shared(uint to, uint4 value) {
  asm volatile("st.shared::cta.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}

// By one thread of the block. The barrier tests write times of their own.
__device__ __forceinline__ void record(uint* out, bool ok, uint4 result, uint elapsed, bool times = true) {
  uint* mine = out + blockIdx.x * EXP06_RECORD_WORDS;
  mine[0] = ok ? result.x : EXP06_TIMED_OUT;
  mine[1] = ok ? result.y : EXP06_TIMED_OUT;
  mine[2] = ok ? result.z : EXP06_TIMED_OUT;
  mine[3] = ok ? result.w : EXP06_TIMED_OUT;
  mine[EXP06_CYCLES] = elapsed;
  if (times) mine[EXP06_TIME_IN] = mine[EXP06_TIME_OUT] = 0;
  mine[EXP06_SM] = sm_id();
}
__device__ __forceinline__ void record(uint* out, bool ok, uint result, uint elapsed, bool times = true) {
  record(out, ok, make_uint4(result, result, result, result), elapsed, times);
}

// The word of four equal words; something else if one of them differs.
__device__ __forceinline__ uint agreed(uint4 value) { return value.x + value.y + value.z - 2 * value.w; }
