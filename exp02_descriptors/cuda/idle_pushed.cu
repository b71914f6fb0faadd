// idle.cu, but what it stores has an argument in it.
#include "params.h"

#define P(k) const uint* p##k
#define P4 P(0), P(1), P(2), P(3)
#define P16 P4, P(4), P(5), P(6), P(7), P(8), P(9), P(10), P(11), P(12), P(13), P(14), P(15)

extern "C" __global__ void idle_pushed_16(uint* out, P16, PushedParams params) { out[threadIdx.x] = threadIdx.x + params.more; }
