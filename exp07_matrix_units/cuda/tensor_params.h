// A product's arguments with tensor maps; no GLSL has them. For C++ and CUDA.
#pragma once

#include "cuda/memory/tensor_map.h"
#include "params.h"

// product_wgmma: a block's tile of C; the rows of its tiles of A and B in shared memory, in bytes of K; how many of each are
// there; a block's threads, one warp group that brings them and two that multiply; blocks of a cluster, unless the kernel's
// name says that each is alone.
#define EXP07_WGMMA_ROWS 128u
#define EXP07_WGMMA_COLUMNS 256u
#define EXP07_WGMMA_ROW_BYTES 128u
#define EXP07_WGMMA_STAGES 4u
#define EXP07_WGMMA_BLOCK 384u
#define EXP07_WGMMA_CLUSTER 2u
// Dynamic shared memory: 4 * (128 + 256) * 128 B = 192 KiB of tiles, two barriers of 8 bytes each, and what it takes to begin
// at a multiple of 1024.
#define EXP07_WGMMA_STAGE_BYTES ((EXP07_WGMMA_ROWS + EXP07_WGMMA_COLUMNS) * EXP07_WGMMA_ROW_BYTES)
#define EXP07_WGMMA_SHARED (EXP07_WGMMA_STAGES * (EXP07_WGMMA_STAGE_BYTES + 16u) + 1008u)

// Tensor maps come first: they lie at multiples of 64 bytes. Boxes: EXP07_WGMMA_ROW_BYTES of K with Swizzle::k128Bytes; of A
// EXP07_WGMMA_ROWS rows, of B EXP07_WGMMA_COLUMNS rows divided by the blocks of a cluster.
struct TensorMatrixParams {
  bench::cuda::TensorMap a;
  bench::cuda::TensorMap b;
  MatrixParams matrix;
};
