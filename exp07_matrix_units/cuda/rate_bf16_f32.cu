#include "rate_mma.cuh"

RATE_MMA(rate_bf16_f32, kBf16F32)
