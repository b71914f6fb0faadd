// c[i] = a[i] + b[i] through descriptors; one float an invocation: 8 bytes read, 4 written.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE float
#include "add.glsl"
