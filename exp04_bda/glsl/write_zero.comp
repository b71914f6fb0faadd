// write_u32x4 with zeros.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WORD(i) 0
#include "write.glsl"
