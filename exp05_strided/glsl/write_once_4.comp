// Every element of 4 bytes written once, neighbouring invocations `stride` elements apart.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uint
#define WORDS words_1
#define INDEX EXP05_ONCE
#include "write.glsl"
