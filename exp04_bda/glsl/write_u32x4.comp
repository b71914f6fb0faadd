// Computed words through a descriptor: 16 bytes written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "write_u32x4.glsl"
