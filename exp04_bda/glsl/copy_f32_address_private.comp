// copy_f32 through addresses, under the Vulkan memory model, private: as near to CUDA's pointers as GLSL comes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define ADDRESS
#define READ readonly
#define WRITE writeonly
#include "copy_f32.glsl"
