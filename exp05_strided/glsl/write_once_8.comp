// Every element of 8 bytes written once, neighbouring invocations `stride` elements apart.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec2
#define WORDS words_2
#define INDEX EXP05_ONCE
#include "write.glsl"
