// Persistent workgroups of as many invocations as a granule has vectors (256): those on the SMs that `runs` names take
// EXP04_TICKET granules of the list at a time, until it is empty, and the next ones before they begin with these. The includer
// says what is done with those taken: take().
#extension GL_EXT_control_flow_attributes : require
#extension GL_NV_shader_sm_builtins : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 1, std430) readonly buffer Granules { uvec4 granules[]; };
layout(set = 0, binding = 2, std430) readonly buffer Runs { uint runs[]; };
layout(set = 0, binding = 3, std430) coherent buffer State { uint state[]; };
layout(push_constant, std430) uniform Push { HomesParams params; };

shared uint ticket[2];

void take(uvec4 taken);

void take_granules() {
  const uint sm = gl_SMIDNV;
  if (sm < params.sms && runs[sm] != 0) {
    uint next = 0;
    if (gl_LocalInvocationID.x == 0) next = atomicAdd(state[0], EXP04_TICKET);
    [[dont_unroll]] for (uint turn = 0; turn <= params.count; ++turn) {
      if (gl_LocalInvocationID.x == 0) ticket[turn % 2] = next;
      barrier();
      const uint first = ticket[turn % 2];
      if (first >= params.count) break;
      if (gl_LocalInvocationID.x == 0) next = atomicAdd(state[0], EXP04_TICKET);
      take(granules[first / EXP04_TICKET]);
    }
  }
  // The last workgroup to end leaves the state as it was found.
  if (gl_LocalInvocationID.x == 0 && atomicAdd(state[1], 1u) == gl_NumWorkGroups.x - 1) {
    atomicExchange(state[0], 0u);
    atomicExchange(state[1], 0u);
  }
}
