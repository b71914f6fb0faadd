// gather_u32 through descriptors.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gather_u32.glsl"
