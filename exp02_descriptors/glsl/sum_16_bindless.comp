// The sum of 16 inputs through an array of buffers; see sum_bindless.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 16
#include "sum_bindless.glsl"
