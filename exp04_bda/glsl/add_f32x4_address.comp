// add_f32x4 through addresses. Without a CUDA file: CUDA's pointers are addresses anyway.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ADDRESS
#define TYPE vec4
#define ALIGN 16
#include "add.glsl"
