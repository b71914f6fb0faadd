#include "rate_mma.cuh"

RATE_MMA(rate_s8_s32, kS8S32)
