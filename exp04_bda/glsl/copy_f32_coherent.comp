// copy_f32, coherent on the whole device. Its CUDA twin is copy_f32_coherent in copy_f32.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READ coherent readonly
#define WRITE coherent writeonly
#include "copy_f32.glsl"
