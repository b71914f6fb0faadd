// The sum of 4 inputs through device addresses; see sum_address.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 4
#include "sum_address.glsl"
