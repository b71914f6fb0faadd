// The sum of 16 inputs through storage buffers of a descriptor set; see sum_descriptors.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 16
#include "sum_descriptors.glsl"
