// c[i] = a[i] + b[i] through descriptors; four floats an invocation in 16-byte accesses: 32 bytes read, 16 written.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE vec4
#include "add.glsl"
