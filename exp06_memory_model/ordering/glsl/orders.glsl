// What every kernel here builds on: its buffers behind addresses, and ORDER and SCOPE, which choose one of the constants that
// GL_KHR_memory_scope_semantics wants spelled out. CUDA's cta is Workgroup, its gpu Device; weak is a plain access.
#extension GL_ARB_shader_clock : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ORDER = EXP06_WEAK;
layout(constant_id = 2) const uint SCOPE = EXP06_WORKGROUP;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(push_constant, std430) uniform Push {
  Words data;
  Words result;
  OrderParams params;
};

// An acquire makes what others made available visible; a release makes available what was written before it.
#define ACQUIRE (gl_SemanticsAcquire | gl_SemanticsMakeVisible)
#define RELEASE (gl_SemanticsRelease | gl_SemanticsMakeAvailable)
#define ACQ_REL (gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible)

// DO(scope) with the scope that SCOPE names.
#define AT_SCOPE(DO)                 \
  switch (SCOPE) {                   \
    case EXP06_SUBGROUP:             \
      DO(gl_ScopeSubgroup);          \
      break;                         \
    case EXP06_WORKGROUP:            \
      DO(gl_ScopeWorkgroup);         \
      break;                         \
    case EXP06_QUEUE_FAMILY:         \
      DO(gl_ScopeQueueFamily);       \
      break;                         \
    default:                         \
      DO(gl_ScopeDevice);            \
      break;                         \
  }

uint load_relaxed(Words words, uint i) {
  uint value = 0;
#define DO(scope) value = atomicLoad(words.at[i], scope, gl_StorageSemanticsNone, gl_SemanticsRelaxed)
  AT_SCOPE(DO)
#undef DO
  return value;
}

uint load_acquire(Words words, uint i) {
  uint value = 0;
#define DO(scope) value = atomicLoad(words.at[i], scope, gl_StorageSemanticsBuffer, ACQUIRE)
  AT_SCOPE(DO)
#undef DO
  return value;
}

void store_relaxed(Words words, uint i, uint value) {
#define DO(scope) atomicStore(words.at[i], value, scope, gl_StorageSemanticsNone, gl_SemanticsRelaxed)
  AT_SCOPE(DO)
#undef DO
}

void store_release(Words words, uint i, uint value) {
#define DO(scope) atomicStore(words.at[i], value, scope, gl_StorageSemanticsBuffer, RELEASE)
  AT_SCOPE(DO)
#undef DO
}

// Without the bits that make available and visible: they order atomics, each of which is both for its scope by itself, and what
// is declared coherent for the scope. A chain has atomics alone.
uint load_acquire_bare(Words words, uint i) {
  uint value = 0;
#define DO(scope) value = atomicLoad(words.at[i], scope, gl_StorageSemanticsBuffer, gl_SemanticsAcquire)
  AT_SCOPE(DO)
#undef DO
  return value;
}

void store_release_bare(Words words, uint i, uint value) {
#define DO(scope) atomicStore(words.at[i], value, scope, gl_StorageSemanticsBuffer, gl_SemanticsRelease)
  AT_SCOPE(DO)
#undef DO
}

void fence_acquire() {
#define DO(scope) memoryBarrier(scope, gl_StorageSemanticsBuffer, ACQUIRE)
  AT_SCOPE(DO)
#undef DO
}

void fence_release() {
#define DO(scope) memoryBarrier(scope, gl_StorageSemanticsBuffer, RELEASE)
  AT_SCOPE(DO)
#undef DO
}

void fence_acq_rel() {
#define DO(scope) memoryBarrier(scope, gl_StorageSemanticsBuffer, ACQ_REL)
  AT_SCOPE(DO)
#undef DO
}

uint invocation_count() { return gl_NumWorkGroups.x * gl_WorkGroupSize.x; }
uint clock() { return clock2x32ARB().x; }  // modulo 2^32: a carry into the upper half does no harm
