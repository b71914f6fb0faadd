// fence_*: a block stores `vectors` * 16 bytes, then one of its threads executes a fence while they are on their way, and reads
// the clock before and after; `steps` turns. fence_none is the same without a fence.
// fence_rate_*: every thread stores 4 bytes and executes a fence, `steps` times, to words a grid's width apart.
// Vulkan has no cluster and sys scopes and no sequential consistency, so those entries have no twin.
#pragma once

#include "orders.cuh"

__device__ __forceinline__ void store_vector(uint* words, uint vector) {
  const uint i = vector * 4;
  asm volatile("st.weak.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(global(words + i)), "r"(EXP06_STORED(i, 0)),
               "r"(EXP06_STORED(i + 1, 0)), "r"(EXP06_STORED(i + 2, 0)), "r"(EXP06_STORED(i + 3, 0))
               : "memory");
}

#define FENCE(name, PTX)                                                                        \
  extern "C" __global__ void fence_##name(uint* words, uint* out, OrderParams params) {         \
    long long cycles = 0;                                                                       \
    uint first = 0;                                                                             \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) {                      \
      _Pragma("unroll 1") for (uint o = threadIdx.x; o < params.vectors; o += blockDim.x)       \
          store_vector(words, (first + o) & params.mask);                                       \
      first += params.vectors;                                                                  \
      __syncthreads();                                                                          \
      if (threadIdx.x == 0) {                                                                   \
        const long long begin = clock64();                                                      \
        asm volatile(PTX ::: "memory");                                                         \
        cycles += clock64() - begin;                                                            \
      }                                                                                         \
      __syncthreads();                                                                          \
    }                                                                                           \
    if (threadIdx.x == 0) out[EXP06_OUT_CYCLES] = static_cast<uint>(cycles);                    \
  }                                                                                             \
  extern "C" __global__ void fence_rate_##name(uint* words, uint*, OrderParams params) {        \
    uint i = thread_index();                                                                    \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step, i += thread_count()) { \
      asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(global(words + (i & params.mask))),     \
                   "r"(EXP06_STORED(i & params.mask, step))                                     \
                   : "memory");                                                                 \
      asm volatile(PTX ::: "memory");                                                           \
    }                                                                                           \
  }

#define FENCE_ORDER(name, order) FENCE(name, "fence." order ";")
