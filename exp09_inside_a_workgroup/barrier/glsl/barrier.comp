// One workgroup's barriers and fences: see loop.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "glsl/loop.glsl"

#define SHARED_AND_BUFFER (gl_StorageSemanticsShared | gl_StorageSemanticsBuffer)

bool wait(uint step) {
  switch (KIND) {
    case EXP09_CONTROL:
      controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, 0);
      break;
    case EXP09_BARRIER:
      barrier();
      break;
    case EXP09_MEMORY_SHARED:
      memoryBarrierShared();
      break;
    case EXP09_MEMORY_THEN_BARRIER:
      memoryBarrierShared();
      barrier();
      break;
    case EXP09_GROUP_THEN_BARRIER:
      groupMemoryBarrier();
      barrier();
      break;
    case EXP09_BARRIER_BUFFER:
      controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, SHARED_AND_BUFFER, gl_SemanticsAcquireRelease);
      break;
    case EXP09_FENCE_BLOCK:
      memoryBarrier(gl_ScopeWorkgroup, SHARED_AND_BUFFER, gl_SemanticsAcquireRelease);
      break;
    case EXP09_FENCE_BLOCK_THEN_BARRIER:
      memoryBarrier(gl_ScopeWorkgroup, SHARED_AND_BUFFER, gl_SemanticsAcquireRelease);
      barrier();
      break;
    case EXP09_SUBGROUP:
      subgroupBarrier();
      break;
    default:
      break;
  }
  return true;
}
