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

#endif
