// The copy of one input through device addresses; see sum_address.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define INPUTS 1
#include "sum_address.glsl"
