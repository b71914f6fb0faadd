// PRECISION(name, WHAT): one function of one or two numbers a thread: 12 bytes read and 4 written.
#include "params.h"

#define PRECISION(name, WHAT)                                                                                      \
  extern "C" __global__ void precision_##name(const float* a, const float* b, const float* product, float* result, \
                                              PrecisionParams params) {                                            \
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
    if (i >= params.count) return;                                                                                 \
    const float x = a[i];                                                                                          \
    const float y = b[i];                                                                                          \
    const float xy = product[i];                                                                                   \
    result[i] = WHAT;                                                                                              \
    (void)y;                                                                                                       \
    (void)xy;                                                                                                      \
  }

__device__ __forceinline__ float approximate_sqrt(float x) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}

PRECISION(divide_default, x / y)
PRECISION(divide_precise, __fdiv_rn(x, y))
PRECISION(divide_fast, __fdividef(x, y))
PRECISION(sqrt_default, sqrtf(fabsf(x)))
PRECISION(sqrt_precise, __fsqrt_rn(fabsf(x)))
PRECISION(sqrt_fast, approximate_sqrt(fabsf(x)))
PRECISION(inverse_sqrt_default, rsqrtf(fabsf(x)))
PRECISION(inverse_sqrt_precise, __frsqrt_rn(fabsf(x)))
PRECISION(exp_default, expf(x))
PRECISION(exp_fast, __expf(x))
PRECISION(log_default, logf(fabsf(x)))
PRECISION(log_fast, __logf(fabsf(x)))
PRECISION(sin_default, sinf(x))
PRECISION(sin_fast, __sinf(x))
PRECISION(sin_large_default, sinf(x* EXP09_LARGE))
PRECISION(sin_large_fast, __sinf(x* EXP09_LARGE))
PRECISION(contract_default, x* y - xy)
PRECISION(contract_precise, __fsub_rn(__fmul_rn(x, y), xy))
