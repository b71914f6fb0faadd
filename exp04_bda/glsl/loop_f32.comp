// loop_f32 through descriptors.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "loop_f32.glsl"
