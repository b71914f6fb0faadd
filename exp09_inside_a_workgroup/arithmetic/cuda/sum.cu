// Each thread sums up `terms` numbers, compensated or not: 4 bytes read a term, one load under way, 4 written.
#include "params.h"

#define SUM(name, BODY)                                                                        \
  extern "C" __global__ void sum_##name(const float* terms, float* result, SumParams params) { \
    const uint thread = blockIdx.x * blockDim.x + threadIdx.x;                                 \
    const uint threads = gridDim.x * blockDim.x;                                               \
    float sum = 0;                                                                             \
    float lost = 0;                                                                            \
    _Pragma("unroll 1") for (uint k = 0; k < params.terms; k += params.advance) {              \
      const float term = fabsf(terms[k * threads + thread]);                                   \
      BODY(sum, lost, term);                                                                   \
    }                                                                                          \
    result[thread] = sum;                                                                      \
  }

__device__ __forceinline__ void plain(float& sum, float&, float term) { sum += term; }

__device__ __forceinline__ void compensated(float& sum, float& lost, float term) {
  const float whole = term - lost;
  const float next = sum + whole;
  lost = (next - sum) - whole;
  sum = next;
}

__device__ __forceinline__ void compensated_rn(float& sum, float& lost, float term) {
  const float whole = __fsub_rn(term, lost);
  const float next = __fadd_rn(sum, whole);
  lost = __fsub_rn(__fsub_rn(next, sum), whole);
  sum = next;
}

SUM(plain, plain)
SUM(compensated_default, compensated)
SUM(compensated_precise, compensated_rn)
