#include "product_tile.cuh"

PRODUCT_OFFSETS(product_offsets_f16_f32, kF16F32, 128, 128, 64, 2, 4)
PRODUCT_OFFSETS(product_offsets_f16_f32, kF16F32, 256, 128, 32, 4, 2)
