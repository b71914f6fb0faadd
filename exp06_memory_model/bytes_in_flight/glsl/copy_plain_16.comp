// b = a in 16-byte loads and stores; 16 * UNROLL bytes read and as many written an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec4
#include "copy_plain.glsl"
