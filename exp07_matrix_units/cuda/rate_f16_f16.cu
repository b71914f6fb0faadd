#include "rate_mma.cuh"

RATE_MMA(rate_f16_f16, kF16F16)
