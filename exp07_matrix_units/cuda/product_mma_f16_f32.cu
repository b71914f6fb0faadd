#include "product_mma.cuh"

PRODUCT_MMA(product_mma_f16_f32, kF16F32, 256, 128, 32, 4, 2, 4, 1)
