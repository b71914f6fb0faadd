// A barrier made of one counter in shared memory: each subgroup adds to it with release, and polls it with acquire. See loop.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#pragma use_vulkan_memory_model
#include "glsl/loop.glsl"

shared uint arrived;

// As in PTX, whose orders are those of all memory.
#define SHARED_AND_BUFFER (gl_StorageSemanticsShared | gl_StorageSemanticsBuffer)
#define RELEASE (gl_SemanticsRelease | gl_SemanticsMakeAvailable)
#define ACQUIRE (gl_SemanticsAcquire | gl_SemanticsMakeVisible)

bool wait(uint step) {
  if (step == 0) {
    if (gl_LocalInvocationID.x == 0) arrived = 0;
    barrier();
  }
  subgroupBarrier();
  bool in_time = false;
  if (subgroupElect()) {
    atomicAdd(arrived, 1, gl_ScopeWorkgroup, SHARED_AND_BUFFER, RELEASE);
    const uint wanted = gl_NumSubgroups * (step + 1);
    [[dont_unroll]] for (uint spin = 0; spin < params.spins && !in_time; ++spin)
      in_time = atomicLoad(arrived, gl_ScopeWorkgroup, SHARED_AND_BUFFER, ACQUIRE) >= wanted;
  } else {
    in_time = true;
  }
  subgroupBarrier();
  return in_time;
}
