// The warp's matrix instruction, mma.sync of 16 rows, 8 columns and 32 bytes of K, whatever the numbers are.
//
// Of A a lane holds 4 words, of B 2, of the sums 4 numbers. Lane 4 g + t has, of rows g and g + 8 of A, bytes 4 t ... 4 t + 3
// and 16 + 4 t ...; of B's column g the same bytes; of the sums' rows g and g + 8 the columns 2 t and 2 t + 1. Source: PTX
// ISA 8.7, "Matrix Fragments for mma.m16n8k16" and its neighbours.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "core/base/shader_types.h"

// What is multiplied, and what the sums are.
enum class Numbers { kF16F32, kF16F16, kBf16F32, kTf32F32, kS8S32, kE4m3F32 };

// in: an element of A and B. out: an element of C. Sum: what a register of sums holds, kSums of them a lane and instruction.
template <Numbers N>
struct Types;
template <>
struct Types<Numbers::kF16F32> {
  using In = __half;
  using Out = float;
  using Sum = float;
};
template <>
struct Types<Numbers::kF16F16> {
  using In = __half;
  using Out = __half;
  using Sum = uint;
};
template <>
struct Types<Numbers::kBf16F32> {
  using In = __nv_bfloat16;
  using Out = float;
  using Sum = float;
};
template <>
struct Types<Numbers::kTf32F32> {
  using In = float;
  using Out = float;
  using Sum = float;
};
template <>
struct Types<Numbers::kS8S32> {
  using In = signed char;
  using Out = int;
  using Sum = int;
};
template <>
struct Types<Numbers::kE4m3F32> {
  using In = __nv_fp8_e4m3;
  using Out = float;
  using Sum = float;
};

// Registers of sums for every two numbers of C: f16 come in pairs.
template <Numbers N>
constexpr uint kSumsOfTwo = N == Numbers::kF16F16 ? 1 : 2;
template <Numbers N>
constexpr uint kSums = 2 * kSumsOfTwo<N>;

// Four 8 x 8 matrices of 16-bit elements, that is four words of a lane.
__device__ __forceinline__ void load_matrices(uint& a, uint& b, uint& c, uint& d, uint from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(from)
               : "memory");
}

// sums += A * B
template <Numbers N>
__device__ __forceinline__ void multiply(typename Types<N>::Sum (&sums)[kSums<N>], const uint (&a)[4], const uint (&b)[2]) {
#define EXP07_MMA(text, constraint)                                                                              \
  asm("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                \
      : constraint(sums[0]), constraint(sums[1]), constraint(sums[kSums<N> - 2]), constraint(sums[kSums<N> - 1]) \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  if constexpr (N == Numbers::kF16F32) {
    EXP07_MMA("m16n8k16.row.col.f32.f16.f16.f32", "+f");
  } else if constexpr (N == Numbers::kBf16F32) {
    EXP07_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "+f");
  } else if constexpr (N == Numbers::kTf32F32) {
    EXP07_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", "+f");
  } else if constexpr (N == Numbers::kS8S32) {
    EXP07_MMA("m16n8k32.row.col.s32.s8.s8.s32", "+r");
  } else if constexpr (N == Numbers::kE4m3F32) {
    EXP07_MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32", "+f");
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(sums[0]), "+r"(sums[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#undef EXP07_MMA
}

// Two sums side by side, to C at a multiple of two elements.
template <class Out>
__device__ __forceinline__ void store_two(Out* to, const float* sums) {
  *reinterpret_cast<float2*>(to) = make_float2(sums[0], sums[1]);
}
template <class Out>
__device__ __forceinline__ void store_two(Out* to, const int* sums) {
  *reinterpret_cast<int2*>(to) = make_int2(sums[0], sums[1]);
}
template <class Out>
__device__ __forceinline__ void store_two(Out* to, const uint* sums) {
  *reinterpret_cast<uint*>(to) = sums[0];
}

// All sums of one instruction, to C's rows `row` and `row` + 8, whose pitch is in elements.
template <Numbers N>
__device__ __forceinline__ void store_sums(typename Types<N>::Out* to, uint pitch,
                                           const typename Types<N>::Sum (&sums)[kSums<N>]) {
  store_two(to, sums);
  store_two(to + 8 * pitch, sums + kSumsOfTwo<N>);
}
