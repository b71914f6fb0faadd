// One thread; each 4-byte load needs the one before, which holds 0, and none hits a line twice.
// Twin: common/vulkan/kernels/probe.comp.
#include "core/device/probe.h"

extern "C" __global__ void probe(const uint* data, uint* last, ProbeParams params) {
  uint at = 0;
  for (uint i = 0; i < params.loads; ++i) at += PROBE_STRIDE + data[at];
  last[0] = at;
}
