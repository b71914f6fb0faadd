// Both fields of an 8-byte struct through descriptors: 8 bytes read and 8 written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "inner_struct.glsl"
