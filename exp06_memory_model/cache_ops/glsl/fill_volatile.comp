// fill with volatile. Its CUDA twin is fill_volatile in fill.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WRITE volatile
#include "fill.glsl"
