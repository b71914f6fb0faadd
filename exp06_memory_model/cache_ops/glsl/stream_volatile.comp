// stream with volatile. Its CUDA twin is stream_volatile in stream.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ volatile
#include "stream.glsl"
