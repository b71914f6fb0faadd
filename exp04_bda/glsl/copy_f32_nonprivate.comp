// copy_f32 under the Vulkan memory model, said to be nonprivate: what GLSL means without that model.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define READ nonprivate readonly
#define WRITE nonprivate writeonly
#include "copy_f32.glsl"
