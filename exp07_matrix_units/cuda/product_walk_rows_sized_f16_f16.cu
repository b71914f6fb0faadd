#include "product_walk.cuh"

PRODUCT_WALK(product_walk_rows_sized_f16_f16, WalkByWmma<Numbers::kF16F16>, 256, 256, 32, 2, 4, false)
PRODUCT_WALK(product_walk_rows_sized_f16_f16, WalkByWmma<Numbers::kF16F16>, 128, 256, 32, 1, 4, false)
