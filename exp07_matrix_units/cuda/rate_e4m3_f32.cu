// The instruction is of compute capability 8.9; Hopper has it as conversions and HMMA.
#include "rate_mma.cuh"

RATE_MMA(rate_e4m3_f32, kE4m3F32)
