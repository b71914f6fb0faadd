// The flag is the message: 4 bytes from one workgroup to another.
#version 460
#extension GL_GOOGLE_include_directive : require
#define PAYLOAD false
#include "message.glsl"
