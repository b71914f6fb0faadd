// The push constants of the kernels beside this file; included by C++ and GLSL alike.
#ifndef BENCH_VULKAN_KERNELS_PARAMS_H_
#define BENCH_VULKAN_KERNELS_PARAMS_H_

#include "core/base/shader_types.h"

#ifdef __cplusplus
namespace bench::vulkan {
#endif

struct EvictParams {
  uint vec4_count;  // 16-byte words to read
  uint impossible;  // a value that the XOR of what one invocation reads cannot have
};

struct SpinParams {
  uint ticks;      // of the device clock; below 2^32 ticks, 4.29 s at 1 ns
  uint max_steps;  // the bound, should the clock stand still
};

BENCH_ASSERT_SIZE(EvictParams, 8);
BENCH_ASSERT_SIZE(SpinParams, 8);

#ifdef __cplusplus
}  // namespace bench::vulkan
#endif

#endif  // BENCH_VULKAN_KERNELS_PARAMS_H_
