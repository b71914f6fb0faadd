// copy_f32_plain through addresses: no qualifier on either buffer. Without a CUDA file: CUDA's pointers are addresses anyway.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ADDRESS
#define READ
#define WRITE
#include "copy_f32.glsl"
