#include "product_walk.cuh"

PRODUCT_WALK_LARGE(product_walk_mma_rows_sized_f16_f32, WalkByMma<Numbers::kF16F32>, 128, 256, 32, 2, 4, false)
PRODUCT_WALK_LARGE(product_walk_mma_rows_sized_f16_f32, WalkByMma<Numbers::kF16F32>, 128, 256, 64, 2, 4, false)
PRODUCT_WALK_LARGE(product_walk_mma_rows_sized_f16_f32, WalkByMma<Numbers::kF16F32>, 256, 128, 64, 4, 2, false)
PRODUCT_WALK_LARGE(product_walk_mma_rows_sized_f16_f32, WalkByMma<Numbers::kF16F32>, 128, 128, 64, 2, 4, false)
