// Every element of 16 bytes read once, neighbouring invocations `stride` elements apart; the sum of what an invocation visits is stored.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uvec4
#define INDEX EXP05_ONCE
#include "read.glsl"
