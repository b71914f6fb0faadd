// Counts each instance's outcome, and sets everything back for the next dispatch of a test: one instance a turn.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) buffer Locations { uint locations[]; };
layout(set = 0, binding = 1, std430) buffer Registers { uint registers[]; };
layout(set = 0, binding = 2, std430) buffer Scratch { uint scratch[]; };
layout(set = 0, binding = 3, std430) buffer Histogram { uint histogram[]; };
layout(push_constant, std430) uniform Push { LitmusParams params; };

shared uint counts[LITMUS_OUTCOMES];

void main() {
  for (uint i = gl_LocalInvocationID.x; i < LITMUS_OUTCOMES; i += gl_WorkGroupSize.x) counts[i] = 0u;
  barrier();

  const uint instances = litmus_instances(params);
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < instances; i += step) {
    uint outcome = 0u;
    [[unroll]] for (uint digit = 0u; digit < LITMUS_REGISTERS; ++digit) {
      if ((params.used >> digit & 1u) == 0u) continue;
      const uint word = digit * instances + i;
      outcome |= min(registers[word], 3u) << 2u * digit;
      registers[word] = LITMUS_UNSET;
    }
    [[unroll]] for (uint plane = 0u; plane < 2u; ++plane) {
      const uint digit = LITMUS_REGISTERS + plane;
      const uint word = litmus_location(params, plane, i);
      if ((params.used >> digit & 1u) != 0u) outcome |= min(locations[word], 3u) << 2u * digit;
      locations[word] = 0u;
    }
    atomicAdd(counts[outcome], 1u);
  }
  if (gl_WorkGroupID.x == 0u) {
    for (uint i = gl_LocalInvocationID.x; i < LITMUS_MAX_ROUNDS; i += gl_WorkGroupSize.x) scratch[i * LITMUS_LINE] = 0u;
  }

  barrier();
  for (uint i = gl_LocalInvocationID.x; i < LITMUS_OUTCOMES; i += gl_WorkGroupSize.x) {
    if (counts[i] != 0u) atomicAdd(histogram[i], counts[i]);
  }
}
