// stream with no qualifier. Its CUDA twin is stream_plain in stream.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ
#include "stream.glsl"
