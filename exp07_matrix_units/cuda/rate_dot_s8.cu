#include "rate_chains.cuh"

RATE_CHAINS(rate_dot_s8, int)
