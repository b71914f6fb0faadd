// What the litmus tests share: their accesses, who plays which role, and how the GPU is kept busy around them.
//
// A test is a struct: `first` and `second` play its roles on the instances at[0] ... at[3], and leave what role owner[k] read
// in r[k]. Nothing waits for a load before the round's last access has been issued, unless the strength says so.
#pragma once

#include "params.h"

template <uint kStrength>
__device__ __forceinline__ void write(uint* generic, uint value) {
  const size_t at = __cvta_generic_to_global(generic);
  if constexpr (kStrength == LITMUS_RELEASE_ACQUIRE) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  } else if constexpr (kStrength == LITMUS_WEAK) {
    asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  } else if constexpr (kStrength == LITMUS_RELAXED_BLOCK) {
    asm volatile("st.relaxed.cta.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  } else {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  }
}

template <uint kStrength>
__device__ __forceinline__ uint read(const uint* generic) {
  const size_t at = __cvta_generic_to_global(generic);
  uint value;
  if constexpr (kStrength == LITMUS_RELEASE_ACQUIRE) {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  } else if constexpr (kStrength == LITMUS_WEAK) {
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  } else if constexpr (kStrength == LITMUS_RELAXED_BLOCK) {
    asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  }
  return value;
}

// What a flag holds when it is set, or after so many looks. The loop does not end early, as its twin's cannot.
template <uint kStrength>
__device__ __forceinline__ uint poll(const uint* flag, uint looks) {
  uint value = 0;
#pragma unroll 1
  for (uint i = 0; i < looks; ++i) {
    if (value == 0) value = read<kStrength>(flag);
  }
  return value;
}

// Between a role's two accesses.
template <uint kStrength>
__device__ __forceinline__ void between() {
  if constexpr (kStrength == LITMUS_FENCE) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if constexpr (kStrength == LITMUS_FENCE_SC) asm volatile("fence.sc.gpu;" ::: "memory");
  if constexpr (kStrength == LITMUS_FENCE_BLOCK) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if constexpr (kStrength == LITMUS_FENCE_SC_BLOCK) asm volatile("fence.sc.cta;" ::: "memory");
}

// x and y of the instances that a thread plays in.
struct Places {
  uint* locations;
  LitmusParams params;
  __device__ __forceinline__ uint* x(uint instance) const { return locations + litmus_location(params, 0, instance); }
  __device__ __forceinline__ uint* y(uint instance) const { return locations + litmus_location(params, 1, instance); }
};

// One, then the other; with the seeded fault the other way round.
template <class One, class Other>
__device__ __forceinline__ void in_order(const LitmusParams& params, One one, Other other) {
  if (params.fault == 0) {
    one();
    other();
  } else {
    other();
    one();
  }
}

__device__ __forceinline__ uint* stressed_word(uint* scratch, uint draw) {
  return scratch + LITMUS_STRESSED + draw % LITMUS_STRESS_LINES * LITMUS_LINE + draw / LITMUS_STRESS_LINES % LITMUS_LINE;
}

// Loads, each at an address that depends on the one before: a delay, and traffic.
__device__ __forceinline__ void delay(uint* scratch, uint loads, uint draw) {
#pragma unroll 1
  for (uint i = 0; i < loads; ++i) draw += read<LITMUS_RELAXED>(stressed_word(scratch, draw)) + 1;
  if (draw == LITMUS_UNSET) write<LITMUS_RELAXED>(stressed_word(scratch, 0), draw);
}

__device__ __forceinline__ void stress(uint* scratch, LitmusParams params) {
  const uint draw = litmus_draw(params.seed, 4, blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll 1
  for (uint i = 0; i < params.stress; ++i) {
    write<LITMUS_RELAXED>(stressed_word(scratch, draw), i);
    delay(scratch, 1, draw + i);
  }
}

// Holds a block back until all test blocks are here, or it has looked often enough.
__device__ __forceinline__ void align(uint* scratch, LitmusParams params, uint round) {
  if (params.align_polls == 0) return;
  if (threadIdx.x == 0) {
    atomicAdd(scratch + round * LITMUS_LINE, 1);
    uint arrived = 0;
#pragma unroll 1
    for (uint i = 0; i < params.align_polls; ++i) {
      if (arrived < params.test_blocks) arrived = read<LITMUS_RELAXED>(scratch + round * LITMUS_LINE);
    }
    if (arrived < params.test_blocks) atomicAdd(scratch + LITMUS_TIMEOUTS, 1);
  }
  __syncthreads();
}

template <class Test, uint kStrength>
__device__ __forceinline__ void play(uint* locations, uint* registers, uint* scratch, const LitmusParams& params) {
  if (blockIdx.x >= params.test_blocks) {
    stress(scratch, params);
    return;
  }
  const uint instances = litmus_instances(params);
  const Places places{locations, params};
  const uint warp = threadIdx.x / LITMUS_WARP;
  const uint lane = threadIdx.x % LITMUS_WARP;
#pragma unroll 1
  for (uint round = 0; round < params.rounds; ++round) {
    const uint draw =
        litmus_draw(params.seed, 5, (round * params.test_blocks + blockIdx.x) * params.threads / LITMUS_WARP + warp);
    uint at[LITMUS_REGISTERS];
#pragma unroll
    for (int role = 0; role < Test::kRoles; ++role) {
      at[role] = litmus_instance(params, round, blockIdx.x, warp, lane, role);
    }
    align(scratch, params, round);
    if (params.pre_stress != 0) delay(scratch, draw % (params.pre_stress + 1), draw);

    uint r[LITMUS_REGISTERS];
    const bool second_first = Test::kEitherFirst && (draw >> 16 & 1) != 0;
    if (second_first) Test::template second<kStrength>(places, at, r);
    Test::template first<kStrength>(places, at, r);
    if (!second_first) Test::template second<kStrength>(places, at, r);
#pragma unroll
    for (int k = 0; k < Test::kRegisters; ++k) registers[k * instances + at[Test::owner(k)]] = r[k];
  }
}

// cluster.cu includes the tests once more, to have their blocks in clusters.
#ifdef LITMUS_CLUSTERED
#define LITMUS_ENTRY(name, Test, suffix, kStrength)                                                     \
  extern "C" __global__ void __cluster_dims__(LITMUS_CLUSTER_BLOCKS, 1, 1) __launch_bounds__(256)       \
      name##_##suffix##_cluster(uint* locations, uint* registers, uint* scratch, LitmusParams params) { \
    play<Test, kStrength>(locations, registers, scratch, params);                                       \
  }
#else
#define LITMUS_ENTRY(name, Test, suffix, kStrength)                                           \
  extern "C" __global__ void __launch_bounds__(256)                                           \
      name##_##suffix(uint* locations, uint* registers, uint* scratch, LitmusParams params) { \
    play<Test, kStrength>(locations, registers, scratch, params);                             \
  }
#endif

// The tests that release and acquire can order, and those that only fence.sc can.
#define LITMUS_CAUSAL(name, Test)                                   \
  LITMUS_ENTRY(name, Test, relaxed, LITMUS_RELAXED)                 \
  LITMUS_ENTRY(name, Test, release_acquire, LITMUS_RELEASE_ACQUIRE) \
  LITMUS_ENTRY(name, Test, fence, LITMUS_FENCE)                     \
  LITMUS_ENTRY(name, Test, fence_block, LITMUS_FENCE_BLOCK)         \
  LITMUS_ENTRY(name, Test, fence_sc_block, LITMUS_FENCE_SC_BLOCK)
#define LITMUS_SC(name, Test) \
  LITMUS_CAUSAL(name, Test)   \
  LITMUS_ENTRY(name, Test, fence_sc, LITMUS_FENCE_SC)
