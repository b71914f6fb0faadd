// The copy of one input through uniform buffers; see sum_uniform.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 1
#include "sum_uniform.glsl"
