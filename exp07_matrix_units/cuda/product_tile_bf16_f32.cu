#include "product_tile.cuh"

PRODUCT_TILE(product_tile_bf16_f32, kBf16F32, 128, 128, 32, 2, 4)
