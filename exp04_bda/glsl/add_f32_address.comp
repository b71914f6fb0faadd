// add_f32 through addresses. Without a CUDA file: CUDA's pointers are addresses anyway.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ADDRESS
#define TYPE float
#define ALIGN 4
#include "add.glsl"
