// b = a in 8-byte loads and stores; 8 * UNROLL bytes read and as many written an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec2
#include "copy_plain.glsl"
