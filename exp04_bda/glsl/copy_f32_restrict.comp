// copy_f32 with restrict. Its CUDA twin is copy_f32_restrict in copy_f32.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ restrict readonly
#define WRITE restrict writeonly
#include "copy_f32.glsl"
