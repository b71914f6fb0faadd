// reuse_ro with volatile. Its CUDA twin is reuse_ro_volatile in reuse.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ volatile
#include "reuse_ro.glsl"
