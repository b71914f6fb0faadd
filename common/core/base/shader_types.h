// What params.h files build on: included by C++, CUDA C++ and GLSL alike.
#ifndef BENCH_CORE_SHADER_TYPES_H
#define BENCH_CORE_SHADER_TYPES_H

#ifdef __cplusplus
typedef unsigned int uint;  // GLSL's name for 32 unsigned bits
static_assert(sizeof(uint) == 4, "uint is GLSL's 32-bit unsigned integer");
// Push constants are laid out by std430: both sides must agree on the size.
#define BENCH_ASSERT_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "differs from its GLSL layout")
#else
#define BENCH_ASSERT_SIZE(type, bytes)
#endif

// Before a function that C++, CUDA and GLSL share.
#if defined(__CUDACC__)
#define BENCH_FUNCTION __host__ __device__ __forceinline__
#elif defined(__cplusplus)
#define BENCH_FUNCTION constexpr
#else
#define BENCH_FUNCTION
#endif

// Word i of a stream that no compressor can shrink: some GPUs compress what they write to memory, and what a kernel writes
// should cost what data cost. A bijection. Source: C. Wellons, "Prospecting for Hash Functions", 2018, lowbias32.
BENCH_FUNCTION uint incompressible_word(uint i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  return i ^ (i >> 16);
}

#endif
