#include "core/experiment/checks.h"

namespace bench {

Column checks_column() {
  return Column::text(kChecksParam, "Vulkan's bounds checks: off (VK_EXT_pipeline_robustness); empty: as the driver has them")
      .optional();
}

Value checks_value(Checks checks) { return checks == Checks::kOff ? Value("off") : Value(); }

Robustness robustness_of(Checks checks) { return checks == Checks::kOff ? Robustness::kDisabled : Robustness::kDefault; }

VulkanChoice vulkan_of(Checks checks) { return {.pipeline_robustness = checks == Checks::kOff}; }

}  // namespace bench
