// out[lane] = lane, one warp; the other arguments are pointers that nothing reads: what handing them over costs by itself.
#include "core/base/shader_types.h"

#define P(k) const uint* p##k
#define P2 P(0), P(1)
#define P4 P2, P(2), P(3)
#define P8 P4, P(4), P(5), P(6), P(7)
#define P16 P8, P(8), P(9), P(10), P(11), P(12), P(13), P(14), P(15)

extern "C" __global__ void idle_1(uint* out, P(0)) { out[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void idle_4(uint* out, P4) { out[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void idle_16(uint* out, P16) { out[threadIdx.x] = threadIdx.x; }
