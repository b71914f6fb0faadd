// READ(bytes, TYPE): every thread reads its elements of a table in shared memory again and again, 8 reads under way.
// WRITE(bytes, TYPE): it stores to them; what is stored to an element is its index, whoever stores it.
// 8 * sizeof(TYPE) bytes a turn and thread.
#pragma once

#include "element.cuh"

template <class T>
__device__ __forceinline__ void fill(T* table) {
  for (uint e = threadIdx.x; e < EXP09_TABLE; e += blockDim.x) make(e, table[e]);
  __syncthreads();
}

#define READ(bytes, TYPE)                                                                     \
  extern "C" __global__ void read_##bytes(uint* result, StrideParams params) {                \
    __shared__ TYPE table[EXP09_TABLE];                                                       \
    fill(table);                                                                              \
    const uint start = first_element(threadIdx.x % 32, params.stride, params.pad);            \
    TYPE sum = {};                                                                            \
    _Pragma("unroll 1") for (uint done = 0; done < params.accesses; done += params.advance) { \
      const uint at = start + (done & (EXP09_SHIFTS - 1));                                    \
      _Pragma("unroll") for (uint u = 0; u < EXP09_UNROLL; ++u) add(sum, table[at + u]);      \
    }                                                                                         \
    result[blockIdx.x * blockDim.x + threadIdx.x] = fold(sum);                                \
  }

#define WRITE(bytes, TYPE)                                                                    \
  extern "C" __global__ void write_##bytes(uint* result, StrideParams params) {               \
    __shared__ TYPE table[EXP09_TABLE];                                                       \
    fill(table);                                                                              \
    const uint start = first_element(threadIdx.x % 32, params.stride, params.pad);            \
    _Pragma("unroll 1") for (uint done = 0; done < params.accesses; done += params.advance) { \
      const uint at = start + (done & (EXP09_SHIFTS - 1));                                    \
      _Pragma("unroll") for (uint u = 0; u < EXP09_UNROLL; ++u) splat(at + u, table[at + u]); \
    }                                                                                         \
    __syncthreads();                                                                          \
    uint sum = 0;                                                                             \
    for (uint e = threadIdx.x; e < EXP09_TABLE; e += blockDim.x) sum += fold(table[e]);       \
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                      \
  }
