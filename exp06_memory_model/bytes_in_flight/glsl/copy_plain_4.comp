// b = a in 4-byte loads and stores; 4 * UNROLL bytes read and as many written an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uint
#include "copy_plain.glsl"
