// read_once_4 with the post's index, which visits some elements often and others never.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TYPE uint
#define INDEX EXP05_FOLDED
#include "read.glsl"
