// The flag announces 4 bytes in another line.
#version 460
#extension GL_GOOGLE_include_directive : require
#define PAYLOAD true
#include "message.glsl"
