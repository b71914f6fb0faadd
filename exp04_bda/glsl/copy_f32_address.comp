// copy_f32 through addresses. Without a CUDA file: CUDA's pointers are addresses anyway.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ADDRESS
#define READ readonly
#define WRITE writeonly
#include "copy_f32.glsl"
