// Everything written once in 16-byte stores; 16 bytes an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec4
#define WORDS words_4
#include "write_plain.glsl"
