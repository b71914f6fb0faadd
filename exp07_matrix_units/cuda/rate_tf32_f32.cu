// No GLSL twin: no driver lists tf32 among its cooperative matrices.
#include "rate_mma.cuh"

RATE_MMA(rate_tf32_f32, kTf32F32)
