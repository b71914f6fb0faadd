// load_*: one thread follows `steps` indices through a table, each load needing the one before: 4 bytes a step.
// load_rate_*: every thread sums `steps` words, a grid's width apart: 4 bytes a load, four loads under way.
// Vulkan has no cluster and sys scopes and no sequential consistency, so those entries have no twin.
#pragma once

#include "orders.cuh"

#define LOAD(name, PTX)                                                                                             \
  __device__ __forceinline__ uint do_##name(const uint* address) {                                                  \
    uint value;                                                                                                     \
    asm volatile(PTX : "=r"(value) : "l"(global(address)) : "memory");                                              \
    return value;                                                                                                   \
  }                                                                                                                 \
  extern "C" __global__ void load_##name(const uint* nodes, uint* out, OrderParams params) {                        \
    uint node = 0;                                                                                                  \
    const long long begin = clock64();                                                                              \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) node = do_##name(nodes + node);            \
    out[EXP06_OUT_CYCLES] = static_cast<uint>(clock64() - begin);                                                   \
    out[EXP06_OUT_VALUE] = node;                                                                                    \
  }                                                                                                                 \
  extern "C" __global__ void load_rate_##name(const uint* words, uint* out, OrderParams params) {                   \
    uint sum = 0;                                                                                                   \
    uint i = thread_index();                                                                                        \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; step += params.advance) {                          \
      uint value[EXP06_UNROLL];                                                                                     \
      for (uint u = 0; u < EXP06_UNROLL; ++u, i += thread_count()) value[u] = do_##name(words + (i & params.mask)); \
      for (uint u = 0; u < EXP06_UNROLL; ++u) sum += value[u];                                                      \
    }                                                                                                               \
    out[thread_index()] = sum;                                                                                      \
  }

#define LOAD_ORDER(name, order) LOAD(name, "ld." order ".global.u32 %0, [%1];")
// What acquires, too: a relaxed load and a fence behind it. The fence is what libcu++ makes of
// atomic_thread_fence(memory_order_acquire). Source: C++20, [atomics.fences]; PTX ISA, "Release and Acquire Patterns".
#define LOAD_FENCE(scope) LOAD(fence_##scope, "ld.relaxed." #scope ".global.u32 %0, [%1]; fence.acq_rel." #scope ";")
// The same with a fence that only acquires, which libcu++ does not make.
#define LOAD_FENCE_ONE_WAY(scope) \
  LOAD(fence_one_way_##scope, "ld.relaxed." #scope ".global.u32 %0, [%1]; fence.acquire." #scope ";")
// The mapping of a sequentially consistent load that the PTX model's authors prove right: Lustig et al., ASPLOS 2019.
#define LOAD_SC(scope) LOAD(seq_cst_##scope, "fence.sc." #scope "; ld.acquire." #scope ".global.u32 %0, [%1];")
