// STRUCTS(layout, DECLARE, FIELD): lanes read neighbouring structures of four words, one field (_1) or all (_4): 8 structures
// under way. DECLARE(n) declares n of them, FIELD(i, x) is the field x of structure i.
#pragma once

#include "element.cuh"

struct Four {
  uint x, y, z, w;
};
struct Five {
  uint x, y, z, w, unused;
};

#define SOA(n) __shared__ uint xs[n], ys[n], zs[n], ws[n]
#define SOA_FIELD(i, x) x##s[i]
#define AOS(n) __shared__ Four table[n]
#define VEC4(n) __shared__ uint4 table[n]
#define PADDED(n) __shared__ Five table[n]
#define AOS_FIELD(i, x) table[i].x

#define STRUCTS(layout, DECLARE, FIELD) STRUCTS_OF(layout, DECLARE, FIELD, 1) STRUCTS_OF(layout, DECLARE, FIELD, 4)

#define STRUCTS_OF(layout, DECLARE, FIELD, fields)                                            \
  extern "C" __global__ void structs_##layout##_##fields(uint* result, StrideParams params) { \
    DECLARE(EXP09_STRUCTS);                                                                   \
    for (uint e = threadIdx.x; e < EXP09_STRUCTS; e += blockDim.x) {                          \
      FIELD(e, x) = table_word(e, 0);                                                         \
      FIELD(e, y) = table_word(e, 1);                                                         \
      FIELD(e, z) = table_word(e, 2);                                                         \
      FIELD(e, w) = table_word(e, 3);                                                         \
    }                                                                                         \
    __syncthreads();                                                                          \
    const uint start = threadIdx.x % 32;                                                      \
    uint4 sum = {};                                                                           \
    _Pragma("unroll 1") for (uint done = 0; done < params.accesses; done += params.advance) { \
      const uint at = start + (done & (EXP09_SHIFTS - 1));                                    \
      _Pragma("unroll") for (uint u = 0; u < EXP09_UNROLL; ++u) {                             \
        sum.x += FIELD(at + u, x);                                                            \
        if (fields == 4) {                                                                    \
          sum.y += FIELD(at + u, y);                                                          \
          sum.z += FIELD(at + u, z);                                                          \
          sum.w += FIELD(at + u, w);                                                          \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
    result[blockIdx.x * blockDim.x + threadIdx.x] = fold(sum);                                \
  }
