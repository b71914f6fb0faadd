// C = A B by mma.sync: operands come by cp.async into a ring of STAGES tiles in shared memory and from there by ldmatrix, one
// step of K ahead of the multiplications. Rows of a tile are 64 or 128 bytes without padding. The 16-byte pieces of a row are
// exchanged by an exclusive or with its number, so that eight rows at the same K, which ldmatrix reads at once, lie in eight
// different groups of four banks. No GLSL twin: Vulkan has no copy past the registers, and no way to say which lane holds which
// element.
#pragma once

#include "mma.cuh"
#include "order.cuh"
#include "params.h"

__device__ __forceinline__ void copy_async(uint to, const unsigned char* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// A block of WM x WN warps makes BM x BN of C, in steps of BK bytes of K. Dynamic shared memory: STAGES * (BM + BN) * BK bytes.
template <Numbers N, uint BM, uint BN, uint BK, uint WM, uint WN, uint STAGES>
__device__ __forceinline__ void product_mma(const void* a, const void* b, typename Types<N>::Out* c,
                                            const MatrixParams& params) {
  extern __shared__ __align__(128) unsigned char memory[];
  constexpr uint kThreads = 32 * WM * WN;
  constexpr uint kPieces = BK / 16;  // of a row
  constexpr uint kStep = 32;         // bytes of K that an instruction takes
  constexpr uint kSteps = BK / kStep;
  constexpr uint kStage = (BM + BN) * BK;
  constexpr uint kRowsAtOnce = kThreads / kPieces;  // that the block copies
  constexpr uint kRows = BM / WM / 16;              // of a warp's instructions
  constexpr uint kColumns = BN / WN / 16;           // of pairs of them
  static_assert(BK == 64 || BK == 128);
  static_assert(kRowsAtOnce % 8 == 0 && BM % kRowsAtOnce == 0 && BN % kRowsAtOnce == 0);
  const uint thread = threadIdx.x;
  const uint lane = thread % 32;
  const uint warp_row = thread / 32 / WN * (BM / WM);
  const uint warp_column = thread / 32 % WN * (BN / WN);
  const TileAt tile = tile_at<8>(blockIdx.y * gridDim.x + blockIdx.x, gridDim.y, gridDim.x);
  const uint base = static_cast<uint>(__cvta_generic_to_shared(memory));
  // Where piece p of row r lies in a tile: two rows of 64 bytes go through all banks, or one of 128.
  const auto place = [](uint r, uint p) { return r * BK + (p ^ (BK == 64 ? r / 2 % 4 : r % 8)) * 16; };

  const size_t pitch = params.k * sizeof(typename Types<N>::In);
  const uint copy_row = thread / kPieces;
  const unsigned char* from_a =
      static_cast<const unsigned char*>(a) + (tile.row * BM + copy_row) * pitch + thread % kPieces * 16;
  const unsigned char* from_b =
      static_cast<const unsigned char*>(b) + (tile.column * BN + copy_row) * pitch + thread % kPieces * 16;
  const uint copy_to = base + place(copy_row, thread % kPieces);
  const uint turns = static_cast<uint>(pitch / BK);
  uint ahead = 0;
  uint fill = 0;
  // A group a tile, empty ones at the end: the wait below counts groups.
  const auto issue = [&] {
    if (ahead < turns) {
#pragma unroll
      for (uint i = 0; i < BM / kRowsAtOnce; ++i)
        copy_async(copy_to + fill + i * kRowsAtOnce * BK, from_a + i * kRowsAtOnce * pitch);
#pragma unroll
      for (uint i = 0; i < BN / kRowsAtOnce; ++i)
        copy_async(copy_to + fill + (BM + i * kRowsAtOnce) * BK, from_b + i * kRowsAtOnce * pitch);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    ++ahead;
    from_a += BK;
    from_b += BK;
    fill = fill + kStage == STAGES * kStage ? 0 : fill + kStage;
  };

  uint rows[2][kRows][4];
  uint columns[2][2 * kColumns][2];
  const uint read_a = base + place(warp_row + lane % 16, lane / 16);
  const uint read_b = base + BM * BK + place(warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
  const auto load = [&](uint into, uint stage, uint step) {
#pragma unroll
    for (uint i = 0; i < kRows; ++i)
      load_matrices(rows[into][i][0], rows[into][i][1], rows[into][i][2], rows[into][i][3],
                    ((read_a + stage) ^ step * kStep) + i * 16 * BK);
#pragma unroll
    for (uint j = 0; j < kColumns; ++j)
      load_matrices(columns[into][2 * j][0], columns[into][2 * j][1], columns[into][2 * j + 1][0], columns[into][2 * j + 1][1],
                    ((read_b + stage) ^ step * kStep) + j * 16 * BK);
  };

  typename Types<N>::Sum sums[kRows][2 * kColumns][kSums<N>] = {};
#pragma unroll
  for (uint stage = 0; stage + 1 < STAGES; ++stage) issue();
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
  __syncthreads();
  uint stage = 0;
  load(0, stage, 0);
#pragma unroll 1
  for (uint turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (uint step = 0; step < kSteps; ++step) {
      if (step + 1 == kSteps) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();  // everyone's copies of the next tile are there, and everyone has read this one
        stage = stage + kStage == STAGES * kStage ? 0 : stage + kStage;
      }
      load((step + 1) % 2, stage, (step + 1) % kSteps);
      if (step == 0) issue();  // into the place of the tile before
#pragma unroll
      for (uint j = 0; j < 2 * kColumns; ++j) {
#pragma unroll
        for (uint i = 0; i < kRows; ++i) multiply<N>(sums[i][j], rows[step % 2][i], columns[step % 2][j]);
      }
    }
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");

  typename Types<N>::Out* to =
      c + static_cast<size_t>(tile.row * BM + warp_row + lane / 4) * params.n + tile.column * BN + warp_column + lane % 4 * 2;
#pragma unroll
  for (uint i = 0; i < kRows; ++i) {
#pragma unroll
    for (uint j = 0; j < 2 * kColumns; ++j) store_sums<N>(to + i * 16 * params.n + j * 8, params.n, sums[i][j]);
  }
}

// BK in elements, as in the other products' names.
#define PRODUCT_MMA(stem, numbers, BM, BN, BK, WM, WN, STAGES, BLOCKS)                                                   \
  extern "C" __global__ void __launch_bounds__(32 * WM * WN, BLOCKS) stem##_##BM##_##BN##_##BK##_##WM##_##WN##_##STAGES( \
      const Types<Numbers::numbers>::In* a, const Types<Numbers::numbers>::In* b, Types<Numbers::numbers>::Out* c,       \
      MatrixParams params) {                                                                                             \
    product_mma<Numbers::numbers, BM, BN, BK * sizeof(Types<Numbers::numbers>::In), WM, WN, STAGES>(a, b, c, params);    \
  }
