// Matrices of IN, sums of ACC: what the kernels with cooperative matrices share. TK: the depth of one multiplication, 32 bytes of IN; with
// HALVES 16 bytes, for devices that have 8-bit matrices of no greater depth.
// With SIZED the shape of a subgroup's matrices is the pipeline's.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#ifdef BF16
#extension GL_EXT_bfloat16 : require
#endif
#ifdef FLOAT8
#extension GL_EXT_float_e4m3 : require
#endif
#include "params.h"

layout(local_size_x_id = 0) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { ACC at[]; };

#ifdef SIZED
layout(constant_id = 8) const uint kMatrixRows = 16;
layout(constant_id = 9) const uint kMatrixColumns = 16;
layout(constant_id = 10) const uint kMatrixDepth = TK;
#else
const uint kMatrixRows = 16;  // of a subgroup's matrix of sums
const uint kMatrixColumns = 16;
const uint kMatrixDepth = TK;
#endif

#define MATRIX_A coopmat<IN, gl_ScopeSubgroup, kMatrixRows, kMatrixDepth, gl_MatrixUseA>
#define MATRIX_B coopmat<IN, gl_ScopeSubgroup, kMatrixDepth, kMatrixColumns, gl_MatrixUseB>
#define MATRIX_C coopmat<ACC, gl_ScopeSubgroup, kMatrixRows, kMatrixColumns, gl_MatrixUseAccumulator>
