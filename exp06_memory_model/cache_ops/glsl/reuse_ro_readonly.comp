// reuse_ro with readonly. CUDA has no such word: no twin.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ readonly
#include "reuse_ro.glsl"
