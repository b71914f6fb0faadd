// reuse_ro with no qualifier. Its CUDA twin is reuse_ro_plain in reuse.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ
#include "reuse_ro.glsl"
