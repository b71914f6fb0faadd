// A barrier that orders all memory for the device, acquire and release: see loop.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#pragma use_vulkan_memory_model
#include "glsl/loop.glsl"

// Without the last two an acquire need not empty the L1, as CUDA's does.
#define ACQ_REL (gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible)

bool wait(uint step) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer, ACQ_REL);
  return true;
}
