// Everything read once in 16-byte loads; 16 * UNROLL bytes in flight an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec4
#include "read_plain.glsl"
