#include "product_walk.cuh"

PRODUCT_WALK_LARGE(product_walk_rows_sized_f16_f32, WalkByWmma<Numbers::kF16F32>, 128, 256, 32, 2, 4, false)
PRODUCT_WALK_LARGE(product_walk_rows_sized_f16_f32, WalkByWmma<Numbers::kF16F32>, 256, 128, 32, 4, 2, false)
PRODUCT_WALK_LARGE(product_walk_rows_sized_f16_f32, WalkByWmma<Numbers::kF16F32>, 128, 128, 32, 2, 2, false)
PRODUCT_WALK_LARGE(product_walk_rows_sized_f16_f32, WalkByWmma<Numbers::kF16F32>, 256, 128, 32, 4, 4, false)
