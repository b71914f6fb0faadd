// Everything written once in 4-byte stores; 4 bytes an invocation and tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uint
#define WORDS words_1
#include "write_plain.glsl"
