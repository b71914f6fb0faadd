// copy_f32 with volatile. Its CUDA twin is copy_f32_volatile in copy_f32.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ volatile readonly
#define WRITE volatile writeonly
#include "copy_f32.glsl"
