#include "product_tile.cuh"

PRODUCT_TILE(product_tile_s8_s32, kS8S32, 128, 128, 32, 2, 4)
