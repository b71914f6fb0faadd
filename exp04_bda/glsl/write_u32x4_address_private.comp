// write_u32x4 through an address, under the Vulkan memory model, private.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define ADDRESS
#define WORD(i) incompressible_word(i)
#include "write.glsl"
