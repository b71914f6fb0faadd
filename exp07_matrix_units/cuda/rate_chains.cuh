// The rate of the ordinary arithmetic: EXP07_CHAINS independent chains a thread, each of whose steps needs the one before.
#pragma once

#include <cuda_fp16.h>

#include "params.h"

template <class T>
__device__ __forceinline__ T number(uint value) {
  return static_cast<T>(value);
}
template <>
__device__ __forceinline__ __half2 number<__half2>(uint value) {
  return __half2half2(__uint2half_rn(value));
}

__device__ __forceinline__ float step(float x, float m, float c) { return __fmaf_rn(x, m, c); }
__device__ __forceinline__ double step(double x, double m, double c) { return __fma_rn(x, m, c); }
__device__ __forceinline__ __half2 step(__half2 x, __half2 m, __half2 c) { return __hfma2(x, m, c); }
// Four products of 8 bits and a sum of 32.
__device__ __forceinline__ int step(int x, int m, int) { return __dp4a(x, m, x); }
__device__ __forceinline__ uint step(uint x, uint m, uint) { return __dp4a(x, m, x); }

// Of all chains.
template <class T>
__device__ __forceinline__ void steps(T (&x)[EXP07_CHAINS], T m, T c) {
#pragma unroll
  for (uint chain = 0; chain < EXP07_CHAINS; ++chain) x[chain] = step(x[chain], m, c);
}
// Two chains take turns, each adding the dot product of m and the other.
__device__ __forceinline__ void pairs(int (&x)[EXP07_CHAINS], int m) {
#pragma unroll
  for (uint chain = 0; chain < EXP07_CHAINS; chain += 2) {
    x[chain] = __dp4a(x[chain + 1], m, x[chain]);
    x[chain + 1] = __dp4a(x[chain], m, x[chain + 1]);
  }
}

template <bool kPairs, class T>
__device__ __forceinline__ void rate_chains(const T* in, T* out, const RateParams& params) {
  const T m = in[0];
  const T c = in[1];
  T x[EXP07_CHAINS];
#pragma unroll
  for (uint chain = 0; chain < EXP07_CHAINS; ++chain) x[chain] = number<T>(threadIdx.x % 32 + 32 * chain);
#pragma unroll 1
  for (uint turn = 0; turn < params.iterations; ++turn) {
#pragma unroll
    for (uint i = 0; i < EXP07_STEPS_A_TURN; ++i) {
      if constexpr (kPairs) {
        pairs(x, m);
      } else {
        steps(x, m, c);
      }
    }
  }
  T sum = x[0];
#pragma unroll
  for (uint chain = 1; chain < EXP07_CHAINS; ++chain) sum = sum + x[chain];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define RATE_CHAINS(name, T) \
  extern "C" __global__ void name(const T* in, T* out, RateParams params) { rate_chains<false>(in, out, params); }
#define RATE_PAIRS(name) \
  extern "C" __global__ void name(const int* in, int* out, RateParams params) { rate_chains<true>(in, out, params); }
