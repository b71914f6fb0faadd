#include "rate_chains.cuh"

RATE_CHAINS(rate_fma_half2, __half2)
