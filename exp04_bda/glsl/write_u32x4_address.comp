// write_u32x4 through an address. Without a CUDA file: CUDA's pointers are addresses anyway.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ADDRESS
#define WORD(i) incompressible_word(i)
#include "write.glsl"
