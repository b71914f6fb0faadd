// copy_f32 with no qualifier. Its CUDA twin is copy_f32_plain in copy_f32.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ
#define WRITE
#include "copy_f32.glsl"
