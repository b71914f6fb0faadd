// C = A B, B by rows, by the warp's matrices, for matrices of one size that the compiler knows: product_tile.cuh with less to
// compute in each step. The twin of glsl/product_walk.glsl, line by line. A thread's addresses in A and B are two pointers that
// advance; all else of an address is a constant. The next step's loads are not under a condition (behind the last step they
// repeat it), and stand between a step's first loads of matrices and its first products. Sums reach C by stores of 16 bytes.
// With kDouble there are two tiles of each operand, and a step's tiles are stored while the step before it multiplies: one
// barrier a step in place of two.
// Tiles lie in dynamic shared memory, so that they may exceed 48 KiB, which Vulkan's do not.
#pragma once

#include "product_tile.cuh"

// The row that takes the place of `row` among `at_once` rows: eight threads next to each other store to different banks. See
// glsl/product_walk.glsl.
__device__ __forceinline__ constexpr uint spread(uint row, uint row_vectors, uint at_once) {
  if (at_once % 8 != 0) return row;
  if (row_vectors == 2) return (row & ~7U) | (row & 3U) << 1 | (row >> 2 & 1U);
  if (row_vectors == 4) return (row & ~7U) | (row & 1U) << 2 | (row >> 1 & 3U);
  return row;
}

// Four 8 x 8 matrices of 16-bit elements, of which a lane gets two elements of a column.
__device__ __forceinline__ void load_transposed(uint (&words)[2][2], const void* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0][0]), "=r"(words[0][1]), "=r"(words[1][0]), "=r"(words[1][1])
               : "r"(static_cast<uint>(__cvta_generic_to_shared(from)))
               : "memory");
}

// The warp's matrices where B lies by rows.
template <Numbers N>
struct WalkByWmma : ByWmma<N> {
  using Columns = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, typename ByWmma<N>::In, nvcuda::wmma::row_major>;

  static __device__ __forceinline__ void add(typename ByWmma<N>::Sums& sums, const typename ByWmma<N>::Rows& rows,
                                             const Columns& columns) {
    nvcuda::wmma::mma_sync(sums, rows, columns, sums);
  }
};

// The same by ldmatrix and mma.sync: wmma computes a lane's addresses anew in every step.
template <Numbers N>
struct WalkByMma : ByMma<N> {
  using ByMma<N>::load;
  static __device__ __forceinline__ void load(typename ByMma<N>::Columns& columns, const typename ByMma<N>::In* from,
                                              uint pitch) {
    const uint lane = threadIdx.x % 32;
    load_transposed(columns.words, from + lane % 16 * pitch + lane / 16 * 8);
  }
};

template <class Matrices, uint SIZE, uint BM, uint BN, uint BK, uint WM, uint WN, bool kDouble>
__device__ __forceinline__ void product_walk(const void* a, const void* b, typename Matrices::Out* c) {
  using In = typename Matrices::In;
  using Out = typename Matrices::Out;
  constexpr uint kTile = 16;  // rows and columns of one matrix, and its depth
  constexpr uint kVector = 16 / sizeof(In);
  constexpr uint kSumVector = 16 / sizeof(Out);
  constexpr uint kThreads = 32 * WM * WN;
  constexpr uint kSteps = SIZE / BK;           // with kDouble: an even number
  constexpr uint kSizePitch = SIZE / kVector;  // vectors in a row of A and of B
  constexpr uint kDown = BM / WM / kTile;      // a warp's matrices of sums
  constexpr uint kAcross = BN / WN / kTile;
  // A tile's vectors in a row, its pitch (16 bytes of padding), its rows that all threads copy with a vector each, and the
  // vectors that a thread copies.
  constexpr uint kRowVectorsA = BK / kVector;
  constexpr uint kPitchA = kRowVectorsA + 1;
  constexpr uint kAtOnceA = kThreads / kRowVectorsA;
  constexpr uint kVectorsA = BM / kAtOnceA;
  constexpr uint kStepA = kRowVectorsA;  // between steps, in vectors
  constexpr uint kRowVectorsB = BN / kVector;
  constexpr uint kPitchB = kRowVectorsB + 1;
  constexpr uint kAtOnceB = kThreads / kRowVectorsB;
  constexpr uint kVectorsB = BK / kAtOnceB;
  constexpr uint kStepB = BK * kSizePitch;
  // Matrices next to each other that a warp copies to C at once, through as much of tile_a as it has.
  constexpr uint kStaged = kThreads / 32 * kTile * (kAcross * kTile / kSumVector + 1) <= BM * kPitchA       ? kAcross
                           : kThreads / 32 * kTile * (kAcross / 2 * kTile / kSumVector + 1) <= BM * kPitchA ? kAcross / 2
                                                                                                            : kAcross / 4;
  static_assert(kThreads % kRowVectorsA == 0 && kThreads % kRowVectorsB == 0 && BM % kAtOnceA == 0 && BK % kAtOnceB == 0);
  static_assert(SIZE % BM == 0 && SIZE % BN == 0 && SIZE % (kDouble ? 2 * BK : BK) == 0);
  extern __shared__ __align__(32) uint4 tiles[];
  uint4* const tile_a = tiles;
  uint4* const tile_b = tile_a + BM * kPitchA;
  uint4* const other_a = tile_b + BK * kPitchB;  // with kDouble
  uint4* const other_b = other_a + BM * kPitchA;

  const uint thread = threadIdx.x;
  const uint first_row = blockIdx.y * BM;
  const uint first_column = blockIdx.x * BN;
  const uint row = thread / 32 / WN * (BM / WM);
  const uint column = thread / 32 % WN * (BN / WN);
  const uint row_a = spread(thread / kRowVectorsA, kRowVectorsA, kAtOnceA);  // of the first vector in a tile
  const uint row_b = spread(thread / kRowVectorsB, kRowVectorsB, kAtOnceB);
  const uint vector_a = thread % kRowVectorsA;
  const uint vector_b = thread % kRowVectorsB;
  const uint place_a = row_a * kPitchA + vector_a;
  const uint place_b = row_b * kPitchB + vector_b;
  const uint4* at_a = static_cast<const uint4*>(a) + ((first_row + row_a) * kSizePitch + vector_a);
  const uint4* at_b = static_cast<const uint4*>(b) + (row_b * kSizePitch + first_column / kVector + vector_b);

  typename Matrices::Sums sums[kDown][kAcross];
#pragma unroll
  for (uint i = 0; i < kDown; ++i) {
#pragma unroll
    for (uint j = 0; j < kAcross; ++j) Matrices::clear(sums[i][j]);
  }

  uint4 next_a[kVectorsA];
  uint4 next_b[kVectorsB];
  const auto load = [&] {
#pragma unroll
    for (uint i = 0; i < kVectorsA; ++i) next_a[i] = at_a[i * kAtOnceA * kSizePitch];
#pragma unroll
    for (uint i = 0; i < kVectorsB; ++i) next_b[i] = at_b[i * kAtOnceB * kSizePitch];
  };
  const auto advance = [&](bool more) {
    at_a += more ? kStepA : 0;
    at_b += more ? kStepB : 0;
  };
  const auto store = [&](uint4* to_a, uint4* to_b) {
#pragma unroll
    for (uint i = 0; i < kVectorsA; ++i) to_a[place_a + i * kAtOnceA * kPitchA] = next_a[i];
#pragma unroll
    for (uint i = 0; i < kVectorsB; ++i) to_b[place_b + i * kAtOnceB * kPitchB] = next_b[i];
  };

  typename Matrices::Rows rows[kDown];
  typename Matrices::Columns columns[kAcross];
  const auto load_operands = [&](const uint4* from_a, const uint4* from_b, uint kk) {
#pragma unroll
    for (uint i = 0; i < kDown; ++i) {
      Matrices::load(rows[i], reinterpret_cast<const In*>(from_a + (row + i * kTile) * kPitchA + kk / kVector),
                     kPitchA * kVector);
    }
#pragma unroll
    for (uint j = 0; j < kAcross; ++j) {
      Matrices::load(columns[j], reinterpret_cast<const In*>(from_b + kk * kPitchB + (column + j * kTile) / kVector),
                     kPitchB * kVector);
    }
  };
  const auto multiply = [&] {
#pragma unroll
    for (uint j = 0; j < kAcross; ++j) {
#pragma unroll
      for (uint i = 0; i < kDown; ++i) Matrices::add(sums[i][j], rows[i], columns[j]);
    }
  };
  const auto multiply_the_rest = [&](const uint4* from_a, const uint4* from_b) {
#pragma unroll
    for (uint kk = kTile; kk < BK; kk += kTile) {
      load_operands(from_a, from_b, kk);
      multiply();
    }
  };

  load();
  advance(kSteps > 1);
  if constexpr (kDouble) {
    store(tile_a, tile_b);
    load();
    advance(kSteps > 2);
    __syncthreads();
    // At the beginning tile_a and tile_b are of this step, the registers of the next, and the pointers of the one after.
    const auto take_step = [&](const uint4* from_a, const uint4* from_b, uint4* to_a, uint4* to_b, bool more) {
      load_operands(from_a, from_b, 0);
      store(to_a, to_b);
      load();
      advance(more);
      multiply();
      multiply_the_rest(from_a, from_b);
      __syncthreads();
    };
    for (uint step = 0; step < kSteps; step += 2) {
      take_step(tile_a, tile_b, other_a, other_b, step + 3 < kSteps);
      take_step(other_a, other_b, tile_a, tile_b, step + 4 < kSteps);
    }
  } else {
    for (uint step = 0; step < kSteps; ++step) {
      __syncthreads();  // the last step's readers are done
      store(tile_a, tile_b);
      __syncthreads();
      load_operands(tile_a, tile_b, 0);
      load();
      advance(step + 2 < kSteps);
      multiply();
      multiply_the_rest(tile_a, tile_b);
    }
    __syncthreads();
  }

  constexpr uint kOutVectors = kStaged * kTile / kSumVector;  // of a row of the sums that are copied at once
  constexpr uint kOutPitch = kOutVectors + 1;
  static_assert(kTile * kOutVectors % 32 == 0 && kThreads / 32 * kTile * kOutPitch <= BM * kPitchA && kAcross % kStaged == 0);
  uint4* const own = tile_a + thread / 32 * kTile * kOutPitch;  // the warp's vectors in tile_a
  uint4* const out = reinterpret_cast<uint4*>(c);
#pragma unroll
  for (uint i = 0; i < kDown; ++i) {
#pragma unroll
    for (uint first = 0; first < kAcross; first += kStaged) {
#pragma unroll
      for (uint j = 0; j < kStaged; ++j) {
        Matrices::store(reinterpret_cast<Out*>(own + j * kTile / kSumVector), sums[i][first + j], kOutPitch * kSumVector);
      }
      __syncwarp();
      const uint to = ((first_row + row + i * kTile) * SIZE + first_column + column + first * kTile) / kSumVector;
#pragma unroll
      for (uint v = 0; v < kTile * kOutVectors / 32; ++v) {
        const uint at = v * 32 + thread % 32;
        out[to + at / kOutVectors * (SIZE / kSumVector) + at % kOutVectors] =
            own[at / kOutVectors * kOutPitch + at % kOutVectors];
      }
      __syncwarp();
    }
  }
}

// Two blocks per SM where a thread has 64 sums or less.
#define PRODUCT_WALK_OF(size, stem, Matrices, BM, BN, BK, WM, WN, is_double)                                              \
  extern "C" __global__ void __launch_bounds__(32 * WM * WN, 32 * WM * WN <= 256 && BM * BN <= 64 * 32 * WM * WN ? 2 : 1) \
      stem##_##BM##_##BN##_##BK##_##WM##_##WN##_##size(const Matrices::In* a, const Matrices::In* b, Matrices::Out* c,    \
                                                       MatrixParams) {                                                    \
    product_walk<Matrices, size, BM, BN, BK, WM, WN, is_double>(a, b, c);                                                 \
  }
// The sizes of a smoke run, and of a full one that has all of them or the largest.
#define PRODUCT_WALK_LARGE(...)     \
  PRODUCT_WALK_OF(256, __VA_ARGS__) \
  PRODUCT_WALK_OF(8192, __VA_ARGS__)
#define PRODUCT_WALK(...)         \
  PRODUCT_WALK_LARGE(__VA_ARGS__) \
  PRODUCT_WALK_OF(4096, __VA_ARGS__)
