// inner_struct through addresses, under the Vulkan memory model, private.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define ADDRESS
#include "inner_struct.glsl"
