// c = a + b in 4-byte loads and stores; 8 bytes read and 4 written an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE float
#include "add_plain.glsl"
