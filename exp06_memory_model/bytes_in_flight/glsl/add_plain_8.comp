// c = a + b in 8-byte loads and stores; 16 bytes read and 8 written an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE vec2
#include "add_plain.glsl"
