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
const uint kChains = EXP07_RATE_COLUMNS / kTile;

void main() {
  MATRIX_A a0, a1;
  MATRIX_B columns[kChains];
  MATRIX_C acc[kChains];
  coopMatLoad(a0, a.at, 0, kPitch, gl_CooperativeMatrixLayoutRowMajor);
  coopMatLoad(a1, a.at, kTile * kPitch, kPitch, gl_CooperativeMatrixLayoutRowMajor);
  [[unroll]] for (uint i = 0; i < kChains; ++i) {
    coopMatLoad(columns[i], b.at, i * kTile * kPitch, kPitch, gl_CooperativeMatrixLayoutColumnMajor);
    acc[i] = MATRIX_C(ACC(0));
  }
  [[dont_unroll]] for (uint turn = 0; turn < params.iterations; ++turn) {
    [[unroll]] for (uint i = 0; i < kChains; ++i) acc[i] = coopMatMulAdd(a0, columns[i], acc[i]);
    [[unroll]] for (uint i = 0; i < kChains; ++i) acc[i] = coopMatMulAdd(a1, columns[i], acc[i]);
  }
  const uint unit = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
  [[unroll]] for (uint i = 0; i < kChains; ++i) {
    coopMatStore(acc[i], sums.at, unit * EXP07_RATE_ROWS * EXP07_RATE_COLUMNS + i * kTile, EXP07_RATE_COLUMNS,
                 gl_CooperativeMatrixLayoutRowMajor);
  }
}
