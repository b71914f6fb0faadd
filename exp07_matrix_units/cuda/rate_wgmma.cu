// The rate of wgmma with both operands in shared memory: a warp group's one accumulator of 64 x 256, multiplied with A0 and A1
// in turn. The instruction is asynchronous and cannot overtake itself, so one accumulator a group and two groups an SM keep the
// unit busy. No GLSL twin: Vulkan has no instruction of this size to say.
#include "params.h"
#include "wgmma.cuh"

// A row of 32 bytes of `from`, as K's step `step` of a row of a tile.
__device__ __forceinline__ void fill_step(uint4* tile, const void* from, uint rows, uint step) {
  const uint4* pieces = static_cast<const uint4*>(from);
  for (uint i = threadIdx.x; i < rows * 2; i += blockDim.x) {
    const uint row = i / 2;
    tile[row * 8 + ((2 * step + i % 2) ^ row % 8)] = pieces[i];
  }
}

template <Numbers N>
__device__ __forceinline__ void rate_wgmma(const void* a, const void* b, typename Types<N>::Out* out,
                                           const RateParams& params) {
  __shared__ __align__(1024) uint4 tile_a[EXP07_RATE_GROUP_ROWS * kTileBytes / 16];
  __shared__ __align__(1024) uint4 tile_b[EXP07_RATE_GROUP_COLUMNS * kTileBytes / 16];
  fill_step(tile_a, a, EXP07_RATE_GROUP_ROWS, 0);
  fill_step(tile_a, static_cast<const uint4*>(a) + EXP07_RATE_GROUP_ROWS * 2, EXP07_RATE_GROUP_ROWS, 1);
  fill_step(tile_b, b, EXP07_RATE_GROUP_COLUMNS, 0);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const unsigned long long a0 = tile_descriptor(static_cast<uint>(__cvta_generic_to_shared(tile_a)));
  const unsigned long long a1 = a0 + kStepBytes / 16;
  const unsigned long long columns = tile_descriptor(static_cast<uint>(__cvta_generic_to_shared(tile_b)));
  typename Types<N>::Sum sums[kGroupSums<N>] = {};
#pragma unroll 1
  for (uint turn = 0; turn < params.iterations; ++turn) {
    group_begin();
    group_multiply<N>(sums, a0, columns, true);
    group_multiply<N>(sums, a1, columns, true);
    group_commit();
    group_wait<1>();
  }
  group_wait<0>();
  sums_are_ready(sums);
  const size_t unit = blockIdx.x * (blockDim.x / 128) + threadIdx.x / 128;
  store_group<N>(out + unit * EXP07_RATE_GROUP_ROWS * EXP07_RATE_GROUP_COLUMNS, EXP07_RATE_GROUP_COLUMNS, sums);
}

#define RATE_WGMMA(name, numbers)                                                                                         \
  extern "C" __global__ void __launch_bounds__(EXP07_RATE_BLOCK)                                                          \
      name(const Types<Numbers::numbers>::In* a, const Types<Numbers::numbers>::In* b, Types<Numbers::numbers>::Out* out, \
           RateParams params) {                                                                                           \
    rate_wgmma<Numbers::numbers>(a, b, out, params);                                                                      \
  }
RATE_WGMMA(rate_wgmma_f16_f32, kF16F32)
RATE_WGMMA(rate_wgmma_f16_f16, kF16F16)
RATE_WGMMA(rate_wgmma_bf16_f32, kBf16F32)
RATE_WGMMA(rate_wgmma_tf32_f32, kTf32F32)
RATE_WGMMA(rate_wgmma_s8_s32, kS8S32)
RATE_WGMMA(rate_wgmma_e4m3_f32, kE4m3F32)
