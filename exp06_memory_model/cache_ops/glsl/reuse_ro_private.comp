// reuse_ro with no qualifier under the Vulkan memory model: private to an invocation. CUDA has no such word: no twin.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define READ
#include "reuse_ro.glsl"
