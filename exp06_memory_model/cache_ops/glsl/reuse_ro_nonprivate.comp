// reuse_ro with nonprivate, under the Vulkan memory model. CUDA has no such word: no twin.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define READ nonprivate
#include "reuse_ro.glsl"
