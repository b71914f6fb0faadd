// What cache_probe's kernel takes; included by C++, CUDA and GLSL alike.
#ifndef BENCH_CORE_PROBE_H
#define BENCH_CORE_PROBE_H

#include "core/base/shader_types.h"

#define PROBE_WORDS 16384  // 64 KiB: in any L2
#define PROBE_STRIDE 32    // words, 128 B: a line a load
#define PROBE_LOADS (PROBE_WORDS / PROBE_STRIDE)

struct ProbeParams {
  uint loads;
};
BENCH_ASSERT_SIZE(ProbeParams, 4);

#endif
