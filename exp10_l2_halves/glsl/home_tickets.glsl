// Persistent workgroups of as many invocations as a granule has vectors (256): those on the SMs that `runs` names take
// EXP10_TICKET granules of the list at a time, until it is empty. The includer says what is done with those taken: take(). While
// that is done, the next ones are looked up and the ticket after theirs is drawn: how far the list and the counter are from an SM
// is not to be seen.
#extension GL_EXT_control_flow_attributes : require
#extension GL_NV_shader_sm_builtins : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 1, std430) readonly buffer Granules { uvec4 granules[]; };
layout(set = 0, binding = 2, std430) readonly buffer Runs { uint runs[]; };
layout(set = 0, binding = 3, std430) coherent buffer State { uint state[]; };
layout(push_constant, std430) uniform Push { HomesParams params; };

shared uint ticket[2];
shared uvec4 listed[2];

void take(uvec4 taken);

void take_granules() {
  const uint sm = gl_SMIDNV;
  uint next = 0;
  if (sm < params.sms && runs[sm] != 0) {
    uint now = 0;
    uvec4 taken = uvec4(0);
    if (gl_LocalInvocationID.x == 0) {
      now = atomicAdd(state[0], EXP10_TICKET);
      next = atomicAdd(state[0], EXP10_TICKET);
      if (now < params.count) taken = granules[now / EXP10_TICKET];
    }
    [[dont_unroll]] for (uint turn = 0; turn <= params.count; ++turn) {
      if (gl_LocalInvocationID.x == 0) {
        ticket[turn % 2] = now;
        listed[turn % 2] = taken;
      }
      barrier();
      if (ticket[turn % 2] >= params.count) break;
      if (gl_LocalInvocationID.x == 0) {
        now = next;
        next = atomicAdd(state[0], EXP10_TICKET);
        if (now < params.count) taken = granules[now / EXP10_TICKET];
      }
      take(listed[turn % 2]);
    }
  }
  // The last workgroup to end leaves the state as it was found; `none` makes each wait for the last ticket that it has drawn.
  if (gl_LocalInvocationID.x == 0 && atomicAdd(state[1], 1u + (next & params.none)) == gl_NumWorkGroups.x - 1) {
    atomicExchange(state[0], 0u);
    atomicExchange(state[1], 0u);
  }
}
