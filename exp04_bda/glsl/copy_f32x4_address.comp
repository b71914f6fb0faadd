// b[i] = a[i], vec4 behind addresses that are multiples of 16. Its CUDA twin is copy_f32x4 in copy_f32x4.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ALIGN 16
#include "copy_f32x4.glsl"
