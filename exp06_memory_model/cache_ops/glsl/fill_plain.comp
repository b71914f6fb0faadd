// fill with no qualifier. Its CUDA twin is fill_plain in fill.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WRITE
#include "fill.glsl"
