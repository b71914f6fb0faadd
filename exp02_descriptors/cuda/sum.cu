// out[i] = in0[i] + in1[i] + ... in the order of the inputs; one float a thread, coalesced: 4 bytes read an input, 4 written.
#include "params.h"

template <class... Inputs>
__device__ void sum(uint count, float* out, const float* first, Inputs... others) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float value = first[i];
  ((value += others[i]), ...);
  out[i] = value;
}

#define IN(k) const float* in##k
#define IN2 IN(0), IN(1)
#define IN4 IN2, IN(2), IN(3)
#define IN8 IN4, IN(4), IN(5), IN(6), IN(7)
#define IN16 IN8, IN(8), IN(9), IN(10), IN(11), IN(12), IN(13), IN(14), IN(15)
#define ARGS2 in0, in1
#define ARGS4 ARGS2, in2, in3
#define ARGS8 ARGS4, in4, in5, in6, in7
#define ARGS16 ARGS8, in8, in9, in10, in11, in12, in13, in14, in15

extern "C" __global__ void sum_1(IN(0), float* out, SumParams params) { sum(params.count, out, in0); }
extern "C" __global__ void sum_2(IN2, float* out, SumParams params) { sum(params.count, out, ARGS2); }
extern "C" __global__ void sum_4(IN4, float* out, SumParams params) { sum(params.count, out, ARGS4); }
extern "C" __global__ void sum_8(IN8, float* out, SumParams params) { sum(params.count, out, ARGS8); }
extern "C" __global__ void sum_16(IN16, float* out, SumParams params) { sum(params.count, out, ARGS16); }
