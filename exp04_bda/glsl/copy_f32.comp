// b[i] = a[i] through descriptors, as exp01 says it: 4 bytes read an invocation, 4 written.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ readonly
#define WRITE writeonly
#include "copy_f32.glsl"
