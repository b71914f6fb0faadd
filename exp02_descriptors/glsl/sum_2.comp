// The sum of 2 inputs through storage buffers of a descriptor set; see sum_descriptors.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 2
#include "sum_descriptors.glsl"
