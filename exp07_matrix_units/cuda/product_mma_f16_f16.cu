#include "product_mma.cuh"

PRODUCT_MMA(product_mma_f16_f16, kF16F16, 256, 128, 32, 4, 2, 4, 1)
