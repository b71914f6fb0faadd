// The rate of mma.sync from registers: EXP07_RATE_COLUMNS / 8 independent chains a warp, each multiplied with A0 and A1 in
// turn. Nothing touches memory between the first load and the last store.
#pragma once

#include "mma.cuh"
#include "params.h"

// What the lane holds of 16 rows of 32 bytes.
__device__ __forceinline__ void load_a(uint (&a)[4], const uint* from, uint lane) {
  const uint* mine = from + lane / 4 * 8 + lane % 4;
  a[0] = mine[0];
  a[1] = mine[8 * 8];
  a[2] = mine[4];
  a[3] = mine[8 * 8 + 4];
}

template <Numbers N>
__device__ __forceinline__ void rate_mma(const void* a, const void* b, typename Types<N>::Out* out, const RateParams& params) {
  constexpr uint kChains = EXP07_RATE_COLUMNS / 8;
  constexpr uint kRowWords = 8;  // 32 bytes of K
  const uint lane = threadIdx.x % 32;
  const uint unit = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  uint a0[4];
  uint a1[4];
  uint columns[kChains][2];
  typename Types<N>::Sum sums[kChains][kSums<N>] = {};
  load_a(a0, static_cast<const uint*>(a), lane);
  load_a(a1, static_cast<const uint*>(a) + EXP07_RATE_ROWS * kRowWords, lane);
#pragma unroll
  for (uint chain = 0; chain < kChains; ++chain) {
    const uint* mine = static_cast<const uint*>(b) + (8 * chain + lane / 4) * kRowWords + lane % 4;
    columns[chain][0] = mine[0];
    columns[chain][1] = mine[4];
  }
#pragma unroll 1
  for (uint turn = 0; turn < params.iterations; ++turn) {
#pragma unroll
    for (uint chain = 0; chain < kChains; ++chain) multiply<N>(sums[chain], a0, columns[chain]);
#pragma unroll
    for (uint chain = 0; chain < kChains; ++chain) multiply<N>(sums[chain], a1, columns[chain]);
  }
  typename Types<N>::Out* mine =
      out + unit * EXP07_RATE_ROWS * EXP07_RATE_COLUMNS + lane / 4 * EXP07_RATE_COLUMNS + lane % 4 * 2;
#pragma unroll
  for (uint chain = 0; chain < kChains; ++chain) store_sums<N>(mine + 8 * chain, EXP07_RATE_COLUMNS, sums[chain]);
}

#define RATE_MMA(name, numbers)                                                                                           \
  extern "C" __global__ void __launch_bounds__(EXP07_RATE_BLOCK)                                                          \
      name(const Types<Numbers::numbers>::In* a, const Types<Numbers::numbers>::In* b, Types<Numbers::numbers>::Out* out, \
           RateParams params) {                                                                                           \
    rate_mma<Numbers::numbers>(a, b, out, params);                                                                        \
  }
