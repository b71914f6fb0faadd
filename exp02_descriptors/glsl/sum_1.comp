// The copy of one input through storage buffers of a descriptor set; see sum_descriptors.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 1
#include "sum_descriptors.glsl"
