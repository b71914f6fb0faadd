// The sum of 2 inputs through an array of buffers; see sum_bindless.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 2
#include "sum_bindless.glsl"
