// Words that no compressor can shrink, through a descriptor.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WORD(i) incompressible_word(i)
#include "write.glsl"
