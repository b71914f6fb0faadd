// What the kernels know of an element of 4, 8 or 16 bytes.
#pragma once

#include "params.h"

__device__ __forceinline__ void make(uint e, uint& v) { v = table_word(e, 0); }
__device__ __forceinline__ void make(uint e, uint2& v) { v = make_uint2(table_word(e, 0), table_word(e, 1)); }
__device__ __forceinline__ void make(uint e, uint4& v) {
  v = make_uint4(table_word(e, 0), table_word(e, 1), table_word(e, 2), table_word(e, 3));
}
__device__ __forceinline__ uint fold(uint v) { return v; }
__device__ __forceinline__ uint fold(uint2 v) { return v.x + 3 * v.y; }
__device__ __forceinline__ uint fold(uint4 v) { return v.x + 3 * v.y + 5 * v.z + 7 * v.w; }
__device__ __forceinline__ void add(uint& a, uint b) { a += b; }
__device__ __forceinline__ void add(uint2& a, uint2 b) { a = make_uint2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ void add(uint4& a, uint4 b) { a = make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ __forceinline__ void splat(uint e, uint& v) { v = e; }
__device__ __forceinline__ void splat(uint e, uint2& v) { v = make_uint2(e, e); }
__device__ __forceinline__ void splat(uint e, uint4& v) { v = make_uint4(e, e, e, e); }
