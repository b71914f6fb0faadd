#include "product_tile.cuh"

PRODUCT_TILE(product_tile_f16_f32, kF16F32, 128, 128, 32, 2, 4)
PRODUCT_TILE(product_tile_f16_f32, kF16F32, 128, 128, 64, 2, 4)
PRODUCT_TILE(product_tile_f16_f32, kF16F32, 128, 128, 32, 2, 2)
PRODUCT_TILE(product_tile_f16_f32, kF16F32, 64, 64, 32, 2, 2)
PRODUCT_TILE(product_tile_f16_f32, kF16F32, 128, 256, 32, 2, 4)
PRODUCT_TILE(product_tile_f16_f32, kF16F32, 256, 128, 32, 4, 2)
