// What the litmus tests share: their accesses, who plays which role, and how the GPU is kept busy around them.
//
// A test says how many ROLES and READS it has; `first` and `second` play its roles on the instances instance[0] ...
// instance[3], and leave what role owner(k) read in r[k]. The strength is a specialization constant: each pipeline keeps one
// branch.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kStrength = LITMUS_RELAXED;
#ifndef LOCATIONS  // qualifiers of a test that also accesses them without atomics
#define LOCATIONS
#endif
layout(set = 0, binding = 0, std430) LOCATIONS buffer Locations { uint locations[]; };
layout(set = 0, binding = 1, std430) buffer Registers { uint registers[]; };
layout(set = 0, binding = 2, std430) buffer Scratch { uint scratch[]; };
layout(push_constant, std430) uniform Push { LitmusParams params; };

#ifndef RELEASE  // what a release makes available, and an acquire visible
#define RELEASE gl_SemanticsRelease
#define ACQUIRE gl_SemanticsAcquire
#endif

void write(uint at, uint value) {
  if (kStrength == LITMUS_RELEASE_ACQUIRE) {
    atomicStore(locations[at], value, gl_ScopeDevice, gl_StorageSemanticsBuffer, RELEASE);
  } else if (kStrength == LITMUS_RELAXED_BLOCK) {
    atomicStore(locations[at], value, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  } else {
    atomicStore(locations[at], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  }
}

uint read(uint at) {
  if (kStrength == LITMUS_RELEASE_ACQUIRE) {
    return atomicLoad(locations[at], gl_ScopeDevice, gl_StorageSemanticsBuffer, ACQUIRE);
  } else if (kStrength == LITMUS_RELAXED_BLOCK) {
    return atomicLoad(locations[at], gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  } else {
    return atomicLoad(locations[at], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  }
}

// What a flag holds when it is set, or after so many looks. The loop does not end early: Mesa's llvmpipe (22.3) drops
// invocations whose loop ends on a value that another thread stores meanwhile.
uint poll(uint flag, uint looks) {
  uint value = 0u;
  [[dont_unroll]] for (uint i = 0u; i < looks; ++i) {
    if (value == 0u) value = read(flag);
  }
  return value;
}

// Between a role's two accesses.
void between() {
  if (kStrength == LITMUS_FENCE) memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (kStrength == LITMUS_FENCE_BLOCK)
    memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
}

uint instances() { return litmus_instances(params); }
uint x(uint instance) { return litmus_location(params, 0u, instance); }
uint y(uint instance) { return litmus_location(params, 1u, instance); }

void first(const uint instance[LITMUS_REGISTERS], inout uint r[LITMUS_REGISTERS]);
void second(const uint instance[LITMUS_REGISTERS], inout uint r[LITMUS_REGISTERS]);
uint owner(uint k);

uint load_relaxed(uint word) {
  return atomicLoad(scratch[word], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

uint stressed_word(uint draw) {
  return LITMUS_STRESSED + draw % LITMUS_STRESS_LINES * LITMUS_LINE + draw / LITMUS_STRESS_LINES % LITMUS_LINE;
}

// Loads, each at an address that depends on the one before: a delay, and traffic.
void delay(uint loads, uint draw) {
  [[dont_unroll]] for (uint i = 0u; i < loads; ++i) draw += load_relaxed(stressed_word(draw)) + 1u;
  if (draw == LITMUS_UNSET)
    atomicStore(scratch[stressed_word(0u)], draw, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

void stress() {
  const uint draw = litmus_draw(params.seed, 4u, gl_GlobalInvocationID.x);
  [[dont_unroll]] for (uint i = 0u; i < params.stress; ++i) {
    atomicStore(scratch[stressed_word(draw)], i, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    delay(1u, draw + i);
  }
}

// Holds a workgroup back until all test workgroups are here, or it has looked often enough.
void align(uint round) {
  if (params.align_polls == 0u) return;
  if (gl_LocalInvocationIndex == 0u) {
    atomicAdd(scratch[round * LITMUS_LINE], 1u);
    uint arrived = 0u;
    [[dont_unroll]] for (uint i = 0u; i < params.align_polls; ++i) {
      if (arrived < params.test_blocks) arrived = load_relaxed(round * LITMUS_LINE);
    }
    if (arrived < params.test_blocks) atomicAdd(scratch[LITMUS_TIMEOUTS], 1u);
  }
  barrier();
}

void play() {
  if (gl_WorkGroupID.x >= params.test_blocks) {
    stress();
    return;
  }
  const uint warp = gl_LocalInvocationIndex / LITMUS_WARP;
  const uint lane = gl_LocalInvocationIndex % LITMUS_WARP;
  [[dont_unroll]] for (uint round = 0u; round < params.rounds; ++round) {
    const uint draw = litmus_draw(
        params.seed, 5u, (round * params.test_blocks + gl_WorkGroupID.x) * params.threads / LITMUS_WARP + warp);
    uint at[LITMUS_REGISTERS];
    for (uint role = 0u; role < ROLES; ++role)
      at[role] = litmus_instance(params, round, gl_WorkGroupID.x, warp, lane, role);
    align(round);
    if (params.pre_stress != 0u) delay(draw % (params.pre_stress + 1u), draw);

    uint r[LITMUS_REGISTERS];
#ifdef IN_ORDER
    const bool second_first = false;
#else
    const bool second_first = (draw >> 16 & 1u) != 0u;
#endif
    if (second_first) second(at, r);
    first(at, r);
    if (!second_first) second(at, r);
    for (uint k = 0u; k < READS; ++k) registers[k * instances() + at[owner(k)]] = r[k];
  }
}
