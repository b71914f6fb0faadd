// The copy of one input through an array of buffers; see sum_bindless.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 1
#include "sum_bindless.glsl"
