// add_*, cas_*: one thread reads, modifies and writes one word `steps` times; what it adds, or swaps in, is what the operation
// before returned. 4 bytes read and 4 written a step.
// add_rate_*: every thread adds 1 to `steps` words, a grid's width apart, and uses what it gets.
// Vulkan has no cluster and sys scopes and no sequential consistency, so those entries have no twin.
#pragma once

#include "orders.cuh"

#define CHAIN(kind, name, FIRST, NEXT)                                                               \
  extern "C" __global__ void kind##_##name(uint* word, uint* out, OrderParams params) {              \
    word += threadIdx.x; /* of one address for a warp ptxas would first ask which lanes are there */ \
    uint value = FIRST;                                                                              \
    const long long begin = clock64();                                                               \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) value = NEXT(word, value);  \
    out[EXP06_OUT_CYCLES] = static_cast<uint>(clock64() - begin);                                    \
    out[EXP06_OUT_VALUE] = value;                                                                    \
  }

#define ADD(name, PTX)                                                                                                      \
  __device__ __forceinline__ uint do_add_##name(uint* address, uint value) {                                                \
    uint before;                                                                                                            \
    asm volatile(PTX : "=r"(before) : "l"(global(address)), "r"(value) : "memory");                                         \
    return before;                                                                                                          \
  }                                                                                                                         \
  CHAIN(add, name, 1, do_add_##name)                                                                                        \
  extern "C" __global__ void add_rate_##name(uint* words, uint* out, OrderParams params) {                                  \
    uint sum = 0;                                                                                                           \
    uint i = thread_index();                                                                                                \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; step += EXP06_UNROLL) {                                    \
      uint before[EXP06_UNROLL];                                                                                            \
      for (uint u = 0; u < EXP06_UNROLL; ++u, i += thread_count()) before[u] = do_add_##name(words + (i & params.mask), 1); \
      for (uint u = 0; u < EXP06_UNROLL; ++u) sum += before[u];                                                             \
    }                                                                                                                       \
    out[thread_index()] = sum;                                                                                              \
  }

#define ADD_ORDER(name, order) ADD(name, "atom." order ".global.add.u32 %0, [%1], %2;")
// The mapping of a sequentially consistent read-modify-write: Lustig et al., ASPLOS 2019.
#define ADD_SC(scope) ADD(seq_cst_##scope, "fence.sc." #scope "; atom.acquire." #scope ".global.add.u32 %0, [%1], %2;")

// Swaps in the successor of what was there before: every one of them succeeds.
#define CAS(name, order)                                                     \
  __device__ __forceinline__ uint do_cas_##name(uint* address, uint value) { \
    uint before;                                                             \
    asm volatile("atom." order ".global.cas.b32 %0, [%1], %2, %3;"           \
                 : "=r"(before)                                              \
                 : "l"(global(address)), "r"(value), "r"(value + 1)          \
                 : "memory");                                                \
    return before + 1;                                                       \
  }                                                                          \
  CHAIN(cas, name, *word, do_cas_##name)
