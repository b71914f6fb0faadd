// Intrinsic<kOperation>::apply<kFlow>(value): what it names, among the lanes that take part.
// OPERATION(name, NUMBER): chain_<name>_<flow>, one warp, each operation needs the one before; rate_<name>_<flow>, a full GPU,
// four chains a thread. Nothing read; 4 bytes written a thread.
#pragma once

#include "params.h"

// By shuffles, as GPUs before sm_80 need it and floats still do: every lane takes part.
template <class T>
__device__ __forceinline__ T add_by_shuffles(T value, uint bits) {
#pragma unroll
  for (uint bit = 0; bit < bits; ++bit) value += __shfl_xor_sync(0xffffffffu, value, 1u << bit);
  return value;
}

__device__ __forceinline__ uint inclusive_add(uint value, uint lane) {
  uint sum = value;
#pragma unroll
  for (uint bit = 0; bit < 5; ++bit) {
    const uint other = __shfl_up_sync(0xffffffffu, sum, 1u << bit);
    if (lane >= 1u << bit) sum += other;
  }
  return sum;
}

template <int kOperation>
struct Intrinsic {
  template <int kFlow>
  static __device__ __forceinline__ uint apply(uint value, uint lane, uint seed) {
    constexpr unsigned mask = kFlow == EXP09_ALL_LANES ? 0xffffffffu : 0x55555555u;
    switch (kOperation) {
      case EXP09_SHUFFLE:
        return __shfl_sync(mask, value, value & 31) + lane;
      case EXP09_SHUFFLE_XOR:
        return __shfl_xor_sync(mask, value, 1) + lane;
      case EXP09_SHUFFLE_UP:
        return __shfl_up_sync(mask, value, 1) + lane;
      case EXP09_ROTATE:
        return __shfl_sync(mask, value, (lane + 1) & 31) + lane;
      case EXP09_BROADCAST:
        return __shfl_sync(mask, value, 0) + lane;
      case EXP09_BALLOT:
        return __ballot_sync(mask, (value & 1) != 0) + lane;
      case EXP09_ALL:
        return (__all_sync(mask, (value & 31) != 31) ? 1 : 0) + value + lane;
      case EXP09_ANY:
        return (__any_sync(mask, (value & 31) == 31) ? 1 : 0) + value + lane;
      case EXP09_ADD:
        return __reduce_add_sync(mask, value) + lane;
      case EXP09_ADD_SHUFFLES:
        return add_by_shuffles(value, 5) + lane;
      case EXP09_ADD_FLOAT:
        return static_cast<uint>(add_by_shuffles(static_cast<float>(value & EXP09_SMALL), 5)) + lane;
      case EXP09_MIN:
        return __reduce_min_sync(mask, value) + lane;
      case EXP09_AND:
        return (__reduce_and_sync(mask, value | ~(1u << lane)) ^ value) + lane;
      case EXP09_EXCLUSIVE_ADD:
        return inclusive_add(value, lane) - value + lane;
      case EXP09_INCLUSIVE_ADD:
        return inclusive_add(value, lane) + lane;
      case EXP09_CLUSTERED_ADD:
        return add_by_shuffles(value, EXP09_CLUSTER_BITS) + lane;
      case EXP09_QUAD_SWAP:
        return __shfl_xor_sync(mask, value, 1) + lane;
      default:
        return (value ^ seed) + lane;
    }
  }
};

template <class Operation, int kFlow>
__device__ __forceinline__ void chain(uint* result, uint* report, SubgroupParams params) {
  const uint lane = threadIdx.x % 32;
  uint value = first_word(lane, 0, params.seed);
  const long long begin = clock64();
  if ((lane & kFlow) == 0) {
#pragma unroll 1
    for (uint step = 0; step < params.steps; step += params.advance) {
#pragma unroll
      for (uint u = 0; u < EXP09_UNROLL; ++u) value = Operation::template apply<kFlow>(value, lane, params.seed);
    }
  }
  const uint cycles = static_cast<uint>(clock64() - begin);
  result[blockIdx.x * blockDim.x + threadIdx.x] = value;
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) report[EXP09_CYCLES] = cycles;
}

template <class Operation, int kFlow>
__device__ __forceinline__ void rate(uint* result, SubgroupParams params) {
  const uint lane = threadIdx.x % 32;
  uint values[EXP09_CHAINS];
#pragma unroll
  for (uint chain = 0; chain < EXP09_CHAINS; ++chain) values[chain] = first_word(lane, chain, params.seed);
  if ((lane & kFlow) == 0) {
#pragma unroll 1
    for (uint step = 0; step < params.steps; step += params.advance) {
#pragma unroll
      for (uint u = 0; u < EXP09_UNROLL; ++u) {
#pragma unroll
        for (uint chain = 0; chain < EXP09_CHAINS; ++chain)
          values[chain] = Operation::template apply<kFlow>(values[chain], lane, params.seed);
      }
    }
  }
  uint sum = 0;
#pragma unroll
  for (uint chain = 0; chain < EXP09_CHAINS; ++chain) sum += (chain + 1) * values[chain];
  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define OPERATION_OF(name, flow, Operation, FLOW)                                                       \
  extern "C" __global__ void chain_##name##_##flow(uint* result, uint* report, SubgroupParams params) { \
    chain<Operation, FLOW>(result, report, params);                                                     \
  }                                                                                                     \
  extern "C" __global__ void rate_##name##_##flow(uint* result, SubgroupParams params) {                \
    rate<Operation, FLOW>(result, params);                                                              \
  }

// Of all lanes; and of the even ones alone, behind a branch.
#define OPERATION(name, NUMBER) OPERATION_OF(name, all, Intrinsic<NUMBER>, EXP09_ALL_LANES)
#define OPERATION_OF_SOME(name, NUMBER) OPERATION(name, NUMBER) OPERATION_OF(name, even, Intrinsic<NUMBER>, EXP09_EVEN_LANES)
