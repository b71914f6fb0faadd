// reuse_ro with coherent. CUDA has no such word: no twin.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ coherent
#include "reuse_ro.glsl"
