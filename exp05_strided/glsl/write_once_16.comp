// Every element of 16 bytes written once, neighbouring invocations `stride` elements apart.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec4
#define WORDS words_4
#define INDEX EXP05_ONCE
#include "write.glsl"
