#include "product_tile.cuh"

PRODUCT_TILE(product_tile_f16_f16, kF16F16, 128, 128, 32, 2, 4)
