#include "rate_chains.cuh"

RATE_CHAINS(rate_fma_f32, float)
