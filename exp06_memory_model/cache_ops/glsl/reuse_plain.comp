// reuse with no qualifier. Its CUDA twin is reuse_plain in reuse.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ
#include "reuse.glsl"
