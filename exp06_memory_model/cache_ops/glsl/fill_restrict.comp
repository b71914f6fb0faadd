// fill with restrict. CUDA has no such word: no twin.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WRITE restrict writeonly
#include "fill.glsl"
