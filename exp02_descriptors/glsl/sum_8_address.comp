// The sum of 8 inputs through device addresses; see sum_address.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 8
#include "sum_address.glsl"
