// Everything read once in 4-byte loads; 4 * UNROLL bytes in flight an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uint
#include "read_plain.glsl"
