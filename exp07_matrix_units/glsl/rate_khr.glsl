// The rate of one multiplication of cooperative matrices, fed from registers: a subgroup multiplies A0 and then A1 with its
// 64 columns of B, over and over. The matrices come from memory once, so that no compiler knows them, and every sum is stored.
#include "matrix.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vectors { uvec4 at[]; };
layout(push_constant, std430) uniform Push {
  Vectors a;
  Vectors b;
  Sums sums;
  RateParams params;
};

const uint kPitch = 2;  // a row is 32 bytes
const uint kChains = EXP07_RATE_COLUMNS / kMatrixColumns;

#ifdef HALVES  // two multiplications take a row's halves, one after the other
#define PARTS [2]
#define EACH_PART [[unroll]] for (uint part = 0; part < 2; ++part)
#define PART [part]
#define PART_AT part
#else
#define PARTS
#define EACH_PART
#define PART
#define PART_AT 0
#endif

void main() {
  MATRIX_A a0 PARTS, a1 PARTS;
  MATRIX_B columns[kChains] PARTS;
  MATRIX_C acc[kChains];
  EACH_PART coopMatLoad(a0 PART, a.at, PART_AT, kPitch, gl_CooperativeMatrixLayoutRowMajor);
  EACH_PART coopMatLoad(a1 PART, a.at, kMatrixRows * kPitch + PART_AT, kPitch, gl_CooperativeMatrixLayoutRowMajor);
  [[unroll]] for (uint i = 0; i < kChains; ++i) {
    EACH_PART coopMatLoad(columns[i] PART, b.at, i * kMatrixColumns * kPitch + PART_AT, kPitch, gl_CooperativeMatrixLayoutColumnMajor);
    acc[i] = MATRIX_C(ACC(0));
  }
  [[dont_unroll]] for (uint turn = 0; turn < params.iterations; ++turn) {
    [[unroll]] for (uint i = 0; i < kChains; ++i) EACH_PART acc[i] = coopMatMulAdd(a0 PART, columns[i] PART, acc[i]);
    [[unroll]] for (uint i = 0; i < kChains; ++i) EACH_PART acc[i] = coopMatMulAdd(a1 PART, columns[i] PART, acc[i]);
  }
  const uint unit = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
  [[unroll]] for (uint i = 0; i < kChains; ++i) {
    coopMatStore(acc[i], sums.at, unit * EXP07_RATE_ROWS * EXP07_RATE_COLUMNS + i * kMatrixColumns, EXP07_RATE_COLUMNS,
                 gl_CooperativeMatrixLayoutRowMajor);
  }
}
