// All 16 bytes of particle i in one load, kept from being narrowed by y, z and w entering the result under a mask that is 0.
// out[i] = particles[i].x: 16 bytes read an invocation, contiguous in the subgroup; 4 written, coalesced.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Particles { uvec4 particles[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint out_x[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    const uvec4 p = particles[i];
    out_x[i] = p.x ^ ((p.y ^ p.z ^ p.w) & params.zero);
  }
}
