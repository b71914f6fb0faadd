#include "rate_mma.cuh"

RATE_MMA(rate_f16_f32, kF16F32)
