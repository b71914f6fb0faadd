// C = A B by the warp's matrices: one tile of A and one of B in shared memory, the next ones on their way to registers
// meanwhile. The twin of glsl/product_tile.glsl, line by line. A tile's row of BK elements has 16 bytes of padding, so that
// rows start in different banks.
#pragma once

#include <mma.h>

#include "mma.cuh"
#include "params.h"

// The warp's matrices: 16 rows or columns, and 32 bytes of K.
template <Numbers N>
struct ByWmma {
  using In = typename Types<N>::In;
  using Out = typename Types<N>::Out;
  static constexpr uint kTile = 16;
  static constexpr uint kDepth = 16;
  using Rows = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, kTile, kTile, kDepth, In, nvcuda::wmma::row_major>;
  using Columns = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, kTile, kTile, kDepth, In, nvcuda::wmma::col_major>;
  using Sums = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, kTile, kTile, kDepth, Out>;

  static __device__ __forceinline__ void clear(Sums& sums) { nvcuda::wmma::fill_fragment(sums, static_cast<Out>(0)); }
  template <class Operand>
  static __device__ __forceinline__ void load(Operand& operand, const In* from, uint pitch) {
    nvcuda::wmma::load_matrix_sync(operand, from, pitch);
  }
  static __device__ __forceinline__ void add(Sums& sums, const Rows& rows, const Columns& columns) {
    nvcuda::wmma::mma_sync(sums, rows, columns, sums);
  }
  static __device__ __forceinline__ void store(Out* to, const Sums& sums, uint pitch) {
    nvcuda::wmma::store_matrix_sync(to, sums, pitch, nvcuda::wmma::mem_row_major);
  }
};

// The same by ldmatrix and mma.sync: wmma loads bf16 word by word, and multiplies 16 bytes of s8 at a time.
template <Numbers N>
struct ByMma {
  using In = typename Types<N>::In;
  using Out = typename Types<N>::Out;
  static constexpr uint kDepth = 32 / sizeof(In);
  struct Rows {
    uint words[4];
  };
  struct Columns {
    uint words[2][2];  // of eight columns each
  };
  struct Sums {
    typename Types<N>::Sum sums[2][kSums<N>];
  };

  static __device__ __forceinline__ void clear(Sums& sums) { sums = {}; }
  static __device__ __forceinline__ void load(Rows& rows, const In* from, uint pitch) {
    const uint lane = threadIdx.x % 32;
    const In* mine = from + lane % 16 * pitch + lane / 16 * (16 / sizeof(In));
    load_matrices(rows.words[0], rows.words[1], rows.words[2], rows.words[3],
                  static_cast<uint>(__cvta_generic_to_shared(mine)));
  }
  static __device__ __forceinline__ void load(Columns& columns, const In* from, uint pitch) {
    const uint lane = threadIdx.x % 32;
    const In* mine = from + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * (16 / sizeof(In));
    load_matrices(columns.words[0][0], columns.words[0][1], columns.words[1][0], columns.words[1][1],
                  static_cast<uint>(__cvta_generic_to_shared(mine)));
  }
  static __device__ __forceinline__ void add(Sums& sums, const Rows& rows, const Columns& columns) {
#pragma unroll
    for (uint half = 0; half < 2; ++half) multiply<N>(sums.sums[half], rows.words, columns.words[half]);
  }
  static __device__ __forceinline__ void store(Out* to, const Sums& sums, uint pitch) {
    const uint lane = threadIdx.x % 32;
#pragma unroll
    for (uint half = 0; half < 2; ++half)
      store_sums<N>(to + lane / 4 * pitch + lane % 4 * 2 + half * 8, pitch, sums.sums[half]);
  }
};

template <Numbers N>
struct WarpMatrices : ByWmma<N> {};
template <>
struct WarpMatrices<Numbers::kBf16F32> : ByMma<Numbers::kBf16F32> {};
template <>
struct WarpMatrices<Numbers::kS8S32> : ByMma<Numbers::kS8S32> {};

enum class Form {
  kPlain,
  kOffsets,  // a thread's vectors lie at constant offsets from its first
  kStaged,   // sums reach C through shared memory, a warp's 16 rows at a time, by stores of 16 bytes
};

// A block of WM x WN warps makes BM x BN of C, in steps of BK.
template <Numbers N, uint BM, uint BN, uint BK, uint WM, uint WN, Form kForm = Form::kPlain>
__device__ __forceinline__ void product_tile(const void* a, const void* b, typename Types<N>::Out* c,
                                             const MatrixParams& params) {
  using In = typename Types<N>::In;
  using Out = typename Types<N>::Out;
  using Matrices = WarpMatrices<N>;
  constexpr uint kTile = 16;  // rows and columns of one matrix
  constexpr uint kThreads = 32 * WM * WN;
  constexpr uint kOf16Bytes = 16 / sizeof(In);
  constexpr uint kRowVectors = BK / kOf16Bytes;
  constexpr uint kPitchVectors = kRowVectors + 1;
  constexpr uint kPitch = kPitchVectors * kOf16Bytes;
  constexpr uint kVectorsA = BM * kRowVectors / kThreads;  // that a thread copies, a tile
  constexpr uint kVectorsB = BN * kRowVectors / kThreads;
  constexpr uint kRows = BM / WM / kTile;  // of a warp's matrices
  constexpr uint kColumns = BN / WN / kTile;
  constexpr uint kRowsAtOnce = kThreads / kRowVectors;  // that all threads copy with a vector each
  static_assert(BM * kRowVectors % kThreads == 0 && BN * kRowVectors % kThreads == 0 && kThreads % kRowVectors == 0);
  __shared__ __align__(32) uint4 tile_a[BM * kPitchVectors];
  __shared__ __align__(32) uint4 tile_b[BN * kPitchVectors];

  const uint thread = threadIdx.x;
  const uint first_row = blockIdx.y * BM;
  const uint first_column = blockIdx.x * BN;
  const uint row = thread / 32 / WN * (BM / WM);
  const uint column = thread / 32 % WN * (BN / WN);
  const uint pitch = params.k / kOf16Bytes;
  const uint4* from_a = static_cast<const uint4*>(a);
  const uint4* from_b = static_cast<const uint4*>(b);

  typename Matrices::Sums sums[kRows][kColumns];
#pragma unroll
  for (uint i = 0; i < kRows; ++i) {
#pragma unroll
    for (uint j = 0; j < kColumns; ++j) Matrices::clear(sums[i][j]);
  }

  const uint from = thread / kRowVectors * pitch + thread % kRowVectors;
  const uint to = thread / kRowVectors * kPitchVectors + thread % kRowVectors;
  const auto source = [&](uint first, uint i, uint at) {
    if constexpr (kForm == Form::kOffsets) return first * pitch + from + at + i * kRowsAtOnce * pitch;
    const uint v = i * kThreads + thread;
    return (first + v / kRowVectors) * pitch + at + v % kRowVectors;
  };
  const auto target = [&](uint i) {
    if constexpr (kForm == Form::kOffsets) return to + i * kRowsAtOnce * kPitchVectors;
    const uint v = i * kThreads + thread;
    return v / kRowVectors * kPitchVectors + v % kRowVectors;
  };

  uint4 next_a[kVectorsA];
  uint4 next_b[kVectorsB];
  const auto fetch = [&](uint at) {
#pragma unroll
    for (uint i = 0; i < kVectorsA; ++i) next_a[i] = from_a[source(first_row, i, at)];
#pragma unroll
    for (uint i = 0; i < kVectorsB; ++i) next_b[i] = from_b[source(first_column, i, at)];
  };
  fetch(0);

#pragma unroll 1
  for (uint k = 0; k < params.k; k += BK) {
    __syncthreads();  // the last step's readers are done
#pragma unroll
    for (uint i = 0; i < kVectorsA; ++i) tile_a[target(i)] = next_a[i];
#pragma unroll
    for (uint i = 0; i < kVectorsB; ++i) tile_b[target(i)] = next_b[i];
    __syncthreads();

    if (k + BK < params.k) fetch((k + BK) / kOf16Bytes);  // the next tiles come while this one is multiplied

#pragma unroll
    for (uint kk = 0; kk < BK; kk += Matrices::kDepth) {
      typename Matrices::Rows rows[kRows];
#pragma unroll
      for (uint i = 0; i < kRows; ++i)
        Matrices::load(rows[i], reinterpret_cast<const In*>(tile_a) + (row + i * kTile) * kPitch + kk, kPitch);
#pragma unroll
      for (uint j = 0; j < kColumns; ++j) {
        typename Matrices::Columns columns;
        Matrices::load(columns, reinterpret_cast<const In*>(tile_b) + (column + j * kTile) * kPitch + kk, kPitch);
#pragma unroll
        for (uint i = 0; i < kRows; ++i) Matrices::add(sums[i][j], rows[i], columns);
      }
    }
  }

  if constexpr (kForm == Form::kStaged) {
    constexpr uint kOutOf16Bytes = 16 / sizeof(Out);
    constexpr uint kOutVectors = BN / WN / kOutOf16Bytes;  // of a row of a warp's sums
    constexpr uint kOutPitch = kOutVectors + 1;
    static_assert(WM * WN * kTile * kOutPitch <= BM * kPitchVectors && kTile * kOutVectors % 32 == 0);
    const uint warp = thread / 32 * kTile * kOutPitch;  // its vectors in tile_a
    const uint lane = thread % 32;
    __syncthreads();  // the last step's readers are done
#pragma unroll
    for (uint i = 0; i < kRows; ++i) {
#pragma unroll
      for (uint j = 0; j < kColumns; ++j) {
        Matrices::store(reinterpret_cast<Out*>(tile_a + warp + j * kTile / kOutOf16Bytes), sums[i][j],
                        kOutPitch * kOutOf16Bytes);
      }
      __syncwarp();
      uint4* to =
          reinterpret_cast<uint4*>(c) + ((first_row + row + i * kTile) * params.n + first_column + column) / kOutOf16Bytes;
#pragma unroll
      for (uint v = 0; v < kTile * kOutVectors / 32; ++v) {
        const uint at = v * 32 + lane;
        to[at / kOutVectors * (params.n / kOutOf16Bytes) + at % kOutVectors] =
            tile_a[warp + at / kOutVectors * kOutPitch + at % kOutVectors];
      }
      __syncwarp();
    }
  } else {
#pragma unroll
    for (uint i = 0; i < kRows; ++i) {
#pragma unroll
      for (uint j = 0; j < kColumns; ++j) {
        Out* to = c + (first_row + row + i * kTile) * params.n + first_column + column + j * kTile;
        Matrices::store(to, sums[i][j], params.n);
      }
    }
  }
}

#define PRODUCT_TILE_AS(stem, numbers, BM, BN, BK, WM, WN, form)                                                          \
  extern "C" __global__ void __launch_bounds__(32 * WM * WN)                                                              \
      stem##_##BM##_##BN##_##BK##_##WM##_##WN(const Types<Numbers::numbers>::In* a, const Types<Numbers::numbers>::In* b, \
                                              Types<Numbers::numbers>::Out* c, MatrixParams params) {                     \
    product_tile<Numbers::numbers, BM, BN, BK, WM, WN, Form::form>(a, b, c, params);                                      \
  }
#define PRODUCT_TILE(stem, numbers, BM, BN, BK, WM, WN) PRODUCT_TILE_AS(stem, numbers, BM, BN, BK, WM, WN, kPlain)
#define PRODUCT_OFFSETS(stem, numbers, BM, BN, BK, WM, WN) PRODUCT_TILE_AS(stem, numbers, BM, BN, BK, WM, WN, kOffsets)
#define PRODUCT_STAGED(stem, numbers, BM, BN, BK, WM, WN) PRODUCT_TILE_AS(stem, numbers, BM, BN, BK, WM, WN, kStaged)
