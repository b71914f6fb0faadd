// copy_f32 under the Vulkan memory model, where memory is private to an invocation unless said otherwise: CUDA's weak accesses.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define READ readonly
#define WRITE writeonly
#include "copy_f32.glsl"
