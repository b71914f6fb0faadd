#include "product_mma.cuh"

PRODUCT_MMA(product_mma_s8_s32, kS8S32, 256, 128, 64, 4, 2, 4, 1)
