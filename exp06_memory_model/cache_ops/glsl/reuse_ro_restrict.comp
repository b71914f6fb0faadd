// reuse_ro with restrict. CUDA has no such word: no twin.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ restrict readonly
#include "reuse_ro.glsl"
