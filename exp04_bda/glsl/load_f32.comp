// Reads and does not store, through descriptors.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "load_f32.glsl"
