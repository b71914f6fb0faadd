#version 460
// One invocation; each 4-byte load needs the one before, which holds 0, and none hits a line twice.
// Twin: common/cuda/kernels/probe.cu.
#extension GL_GOOGLE_include_directive : require
#include "core/device/probe.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { ProbeParams params; };
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) writeonly buffer Last { uint last[]; };

void main() {
  uint at = 0;
  for (uint i = 0; i < params.loads; ++i) at += PROBE_STRIDE + data[at];
  last[0] = at;
}
