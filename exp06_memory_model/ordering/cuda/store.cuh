// store_*: one thread stores a value, loads it back from where it went (relaxed, of the store's scope) and stores its
// successor: a chain by value through memory, 4 bytes stored and 4 loaded a step. The load's address is the store's, and only
// the launch knows: the compiler cannot pass the value on in a register. store_rate_*: every thread stores to `steps` words, a
// grid's width apart: 4 bytes a store. Vulkan has no cluster and sys scopes and no sequential consistency, so those entries
// have no twin.
#pragma once

#include "orders.cuh"

#define STORE(name, PTX, scope)                                                                                             \
  __device__ __forceinline__ void do_##name(uint* address, uint value) {                                                    \
    asm volatile(PTX ::"l"(global(address)), "r"(value) : "memory");                                                        \
  }                                                                                                                         \
  extern "C" __global__ void store_##name(uint* word, uint* out, OrderParams params) {                                      \
    uint value = 0;                                                                                                         \
    const long long begin = clock64();                                                                                      \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; step += params.advance) {                                  \
      do_##name(word, value + 1);                                                                                           \
      asm volatile("ld.relaxed." scope ".global.u32 %0, [%1];" : "=r"(value) : "l"(global(word + params.zero)) : "memory"); \
    }                                                                                                                       \
    out[EXP06_OUT_CYCLES] = static_cast<uint>(clock64() - begin);                                                           \
    out[EXP06_OUT_VALUE] = value;                                                                                           \
  }                                                                                                                         \
  extern "C" __global__ void store_rate_##name(uint* words, uint*, OrderParams params) {                                    \
    uint i = thread_index();                                                                                                \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; step += params.advance) {                                  \
      for (uint u = 0; u < EXP06_UNROLL; ++u, i += thread_count())                                                          \
        do_##name(words + (i & params.mask), EXP06_STORED(i & params.mask, step + u));                                      \
    }                                                                                                                       \
  }

#define STORE_ORDER(order, scope) STORE(order##_##scope, "st." #order "." #scope ".global.u32 [%0], %1;", #scope)
// What releases, too: a fence and a relaxed store behind it. The fence is what libcu++ makes of
// atomic_thread_fence(memory_order_release). Source: C++20, [atomics.fences]; PTX ISA, "Release and Acquire Patterns".
#define STORE_FENCE(scope) STORE(fence_##scope, "fence.acq_rel." #scope "; st.relaxed." #scope ".global.u32 [%0], %1;", #scope)
// The same with a fence that only releases, which libcu++ does not make.
#define STORE_FENCE_ONE_WAY(scope) \
  STORE(fence_one_way_##scope, "fence.release." #scope "; st.relaxed." #scope ".global.u32 [%0], %1;", #scope)
// The mapping of a sequentially consistent store: Lustig et al., ASPLOS 2019.
#define STORE_SC(scope) STORE(seq_cst_##scope, "fence.sc." #scope "; st.relaxed." #scope ".global.u32 [%0], %1;", #scope)
