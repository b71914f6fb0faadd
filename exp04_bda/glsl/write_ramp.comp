// write_u32x4 with words in arithmetic progression, which a memory compressor can shrink.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WORD(i) EXP04_RAMP(i)
#include "write.glsl"
