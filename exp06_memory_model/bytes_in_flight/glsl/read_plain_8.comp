// Everything read once in 8-byte loads; 8 * UNROLL bytes in flight an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec2
#include "read_plain.glsl"
