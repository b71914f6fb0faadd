// Everything written once in 8-byte stores; 8 bytes an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec2
#define WORDS words_2
#include "write_plain.glsl"
