// A driver's bounds checks as an axis of an experiment: what one gets from Vulkan by default, and what one can get.
//
// NVIDIA's driver 580 compiles them into every kernel that reaches its buffers through descriptors, although no robustness
// feature is enabled, unless the device has VK_EXT_pipeline_robustness and the pipeline asks for none.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/device/device.h"
#include "core/results/schema.h"

namespace bench {

enum class Checks : std::uint8_t {
  kDefault,  // as the driver has them
  kOff,      // VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED
};

// The parameter column: "off", or nothing for the driver's default. CUDA's side bears its partner's value: CUDA has no
// checks, and is measured anew beside each.
inline constexpr std::string_view kChecksParam = "checks";
inline Column checks_column() {
  return Column::text(kChecksParam, "Vulkan's bounds checks: off (VK_EXT_pipeline_robustness); empty: as the driver has them")
      .optional();
}
inline Value checks_value(Checks checks) { return checks == Checks::kOff ? Value("off") : Value(); }

// What a kernel's spec and its case's Vulkan device must say. Without VK_EXT_pipeline_robustness kOff's kernels are skipped.
inline Robustness robustness_of(Checks checks) { return checks == Checks::kOff ? Robustness::kDisabled : Robustness::kDefault; }
inline VulkanChoice vulkan_of(Checks checks) { return {.pipeline_robustness = checks == Checks::kOff}; }

}  // namespace bench
