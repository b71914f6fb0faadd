// The sum of 8 inputs through uniform buffers; see sum_uniform.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 8
#include "sum_uniform.glsl"
