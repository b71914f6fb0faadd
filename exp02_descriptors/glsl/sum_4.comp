// The sum of 4 inputs through storage buffers of a descriptor set; see sum_descriptors.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 4
#include "sum_descriptors.glsl"
