// C = A B by matrices of the whole workgroup, loaded through tensor layouts (VK_NV_cooperative_matrix2): the driver stages them.
// Sizes are free: what lies outside reads as zero and is not stored. With ALIGNED they are multiples of the tile, and nothing
// is clamped. With B_BY_ROWS, B lies as k x n. With SIZED the size of A, B and C is the pipeline's, and a compiler may unroll the
// loop over K. With AHEAD the next step's operands are asked for before this step's are multiplied.
// No CUDA twin by language; product_wgmma has the same tile.
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#ifdef BF16
#extension GL_EXT_bfloat16 : require
#endif
#include "order.glsl"
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kRowsC = 128;
layout(constant_id = 2) const uint kColumnsC = 256;
layout(constant_id = 3) const uint kDepth = 64;
layout(constant_id = 4) const uint kGroupRows = 0;  // see order.glsl
#ifdef SIZED
layout(constant_id = 5) const uint kSize = 0;  // rows and columns of A, B and C; 0: as MatrixParams says
#define SIZE(given) (kSize != 0 ? kSize : (given))
#define LOOP_OVER_K
#else
#define SIZE(given) given
#define LOOP_OVER_K [[dont_unroll]]
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Elements { IN at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { ACC at[]; };
layout(push_constant, std430) uniform Push {
  Elements a;
  Elements b;
  Sums sums;
  MatrixParams params;
};

#define MATRIX_A coopmat<IN, gl_ScopeWorkgroup, kRowsC, kDepth, gl_MatrixUseA>
#define MATRIX_B coopmat<IN, gl_ScopeWorkgroup, kDepth, kColumnsC, gl_MatrixUseB>
#define MATRIX_C coopmat<ACC, gl_ScopeWorkgroup, kRowsC, kColumnsC, gl_MatrixUseAccumulator>

// The operands of the step that begins at column `at` of A.
#ifdef B_BY_ROWS
#define LOAD(rows, columns, first)                                                                      \
  coopMatLoadTensorNV(rows, a.at, 0, sliceTensorLayoutNV(layout_a, row, kRowsC, (first), kDepth));       \
  coopMatLoadTensorNV(columns, b.at, 0, sliceTensorLayoutNV(layout_b, (first), kDepth, column, kColumnsC))
#else
#define LOAD(rows, columns, first)                                                                      \
  coopMatLoadTensorNV(rows, a.at, 0, sliceTensorLayoutNV(layout_a, row, kRowsC, (first), kDepth));       \
  coopMatLoadTensorNV(columns, b.at, 0, sliceTensorLayoutNV(layout_b, column, kColumnsC, (first), kDepth), transposed)
#endif

void main() {
  const uvec2 tile = tile_at(kGroupRows);
  const uint row = tile.x * kRowsC;
  const uint column = tile.y * kColumnsC;
#ifdef ALIGNED
  // The masks change no value. They show the compiler rows that begin at multiples of 16 bytes, without which it cannot load 16
  // bytes at once (ggml-org/llama.cpp#10206).
  const uint n = SIZE(params.n & ~15u);
  const uint k = SIZE(params.k & ~15u);
  tensorLayoutNV<2> layout_a = createTensorLayoutNV(2);
  tensorLayoutNV<2> layout_b = createTensorLayoutNV(2);
  tensorLayoutNV<2> layout_c = createTensorLayoutNV(2);
#else
  const uint n = params.n;
  const uint k = params.k;
  tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layout_a =
      createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
  tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layout_b =
      createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
  tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layout_c =
      createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
#endif
  layout_a = setTensorLayoutDimensionNV(layout_a, SIZE(params.m), k);
  layout_c = setTensorLayoutDimensionNV(layout_c, SIZE(params.m), n);
#ifdef B_BY_ROWS
  layout_b = setTensorLayoutDimensionNV(layout_b, k, n);
#else
  layout_b = setTensorLayoutDimensionNV(layout_b, n, k);
  tensorViewNV<2, false, 1, 0> transposed = createTensorViewNV(2, false, 1, 0);  // B lies as n x k
#endif

  MATRIX_C acc = MATRIX_C(ACC(0));
#ifdef AHEAD
  MATRIX_A rows;
  MATRIX_B columns;
  LOAD(rows, columns, 0);
  LOOP_OVER_K for (uint at = 0; at < k; at += kDepth) {
    MATRIX_A next_rows;
    MATRIX_B next_columns;
    LOAD(next_rows, next_columns, min(at + kDepth, k - kDepth));  // the last step's once more, and not used
    acc = coopMatMulAdd(rows, columns, acc);
    rows = next_rows;
    columns = next_columns;
  }
#else
  LOOP_OVER_K for (uint at = 0; at < k; at += kDepth) {
    MATRIX_A rows;
    MATRIX_B columns;
    LOAD(rows, columns, at);
    acc = coopMatMulAdd(rows, columns, acc);
  }
#endif
  coopMatStoreTensorNV(acc, sums.at, 0, sliceTensorLayoutNV(layout_c, row, kRowsC, column, kColumnsC));
}
