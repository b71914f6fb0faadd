// Stores and does not read, through a descriptor.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "store_u32.glsl"
