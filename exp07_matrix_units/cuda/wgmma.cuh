// The warp group's matrix instruction, wgmma of 64 rows, 256 columns and 32 bytes of K, A and B in shared memory (PTX ISA 8.0,
// sm_90a).
//
// A tile in shared memory has rows of 128 bytes of K, at a multiple of 1024 bytes, the 16-byte pieces of a row exchanged by an
// exclusive or with its number modulo 8: what a tensor map with a swizzle of 128 bytes writes. Of the sums a lane of warp w
// holds, for every 8 columns, four numbers that lie as mma.sync's do (mma.cuh), of rows 16 w ... 16 w + 15.
#pragma once

#include "mma.cuh"

constexpr uint kGroupRows = 64;
constexpr uint kGroupColumns = 256;
constexpr uint kTileBytes = 128;  // of a tile's row
constexpr uint kStepBytes = 32;   // of K that an instruction takes

// Registers of sums a lane.
template <Numbers N>
constexpr uint kGroupSums = kGroupColumns / 8 * kSums<N>;

// Names a tile for wgmma. Source: PTX ISA 8.0, "Matrix Descriptor Format": addresses in units of 16 bytes, 8 rows of 128 bytes
// from one group of rows to the next, swizzle 1, which is that of 128 bytes. A step along K is kStepBytes / 16 more.
__device__ __forceinline__ unsigned long long tile_descriptor(uint address) {
  return (address & 0x3ffff) >> 4 | 1ull << 16 | static_cast<unsigned long long>(8 * kTileBytes >> 4) << 32 | 1ull << 62;
}

// Before the first wgmma, and wherever registers of sums were written by anything else.
__device__ __forceinline__ void group_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void group_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until all but the last LEFT commits are done: their sums are there, their shared memory has been read.
template <uint LEFT>
__device__ __forceinline__ void group_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#define EXP07_SUMS_8(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define EXP07_SUMS_32(c, i) EXP07_SUMS_8(c, i), EXP07_SUMS_8(c, i + 8), EXP07_SUMS_8(c, i + 16), EXP07_SUMS_8(c, i + 24)
#define EXP07_SUMS_64(c) EXP07_SUMS_32(c, 0), EXP07_SUMS_32(c, 32)
#define EXP07_SUMS_128(c) EXP07_SUMS_64(c), EXP07_SUMS_32(c, 64), EXP07_SUMS_32(c, 96)
#define EXP07_NAMES_64                                                               \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define EXP07_NAMES_128                                                                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// No read of the sums moves up over a wait.
template <uint COUNT, class Sum>
__device__ __forceinline__ void sums_are_ready(Sum (&d)[COUNT]) {
#pragma unroll
  for (uint i = 0; i < COUNT; ++i) {
    if constexpr (sizeof(Sum) == 4 && static_cast<Sum>(0.5) != 0) {
      asm volatile("" : "+f"(d[i])::"memory");
    } else {
      asm volatile("" : "+r"(d[i])::"memory");
    }
  }
}

// d = A * B + (add ? d : 0), asynchronously. By a whole warp group.
template <Numbers N>
__device__ __forceinline__ void group_multiply(typename Types<N>::Sum (&d)[kGroupSums<N>], unsigned long long a,
                                               unsigned long long b, bool add) {
#define EXP07_WGMMA_128(text, flags, constraint)                                                                        \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\nwgmma.mma_async.sync.aligned." text " {" EXP07_NAMES_128 \
               "}, %128, %129, add" flags ";\n}"                                                                        \
               : EXP07_SUMS_128(constraint)                                                                             \
               : "l"(a), "l"(b), "r"(static_cast<int>(add)))
  // Flags: A and B as they are, not negated; 16-bit types: both with K running fastest.
  if constexpr (N == Numbers::kF16F32) {
    EXP07_WGMMA_128("m64n256k16.f32.f16.f16", ", 1, 1, 0, 0", "+f");
  } else if constexpr (N == Numbers::kBf16F32) {
    EXP07_WGMMA_128("m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0", "+f");
  } else if constexpr (N == Numbers::kTf32F32) {
    EXP07_WGMMA_128("m64n256k8.f32.tf32.tf32", ", 1, 1", "+f");
  } else if constexpr (N == Numbers::kE4m3F32) {
    EXP07_WGMMA_128("m64n256k32.f32.e4m3.e4m3", ", 1, 1", "+f");
  } else if constexpr (N == Numbers::kS8S32) {
    EXP07_WGMMA_128("m64n256k32.s32.s8.s8", "", "+r");
  } else {
    asm volatile(
        "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16"
        " {" EXP07_NAMES_64 "}, %64, %65, add, 1, 1, 0, 0;\n}"
        : EXP07_SUMS_64("+r")
        : "l"(a), "l"(b), "r"(static_cast<int>(add)));
  }
#undef EXP07_WGMMA_128
}

// All sums of the warp group's 64 x 256, to C from `to` on, whose pitch is in elements.
template <Numbers N>
__device__ __forceinline__ void store_group(typename Types<N>::Out* to, uint pitch,
                                            const typename Types<N>::Sum (&d)[kGroupSums<N>]) {
  const uint lane = threadIdx.x % 32;
  typename Types<N>::Out* mine = to + static_cast<size_t>(threadIdx.x / 32 % 4 * 16 + lane / 4) * pitch + lane % 4 * 2;
#pragma unroll
  for (uint i = 0; i < kGroupColumns / 8; ++i) {
    store_two(mine + i * 8, d + i * kSums<N>);
    store_two(mine + i * 8 + 8 * pitch, d + i * kSums<N> + kSumsOfTwo<N>);
  }
}
