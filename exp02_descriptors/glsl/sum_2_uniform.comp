// The sum of 2 inputs through uniform buffers; see sum_uniform.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 2
#include "sum_uniform.glsl"
