// Which of a SPIR-V module's capabilities a device does not have, decided over plain data: testable without a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

// Those of a module, in its order: VulkanChoice::capabilities.
std::vector<std::uint32_t> declared_capabilities(std::span<const std::uint32_t> words);

// Where a module adds floats atomically (OpAtomicFAddEXT). One that does so nowhere, or by pointers of unknown origin, is taken
// to do so in buffers.
struct FloatAdds {
  bool buffer = false;
  bool shared = false;
};
FloatAdds float_adds(std::span<const std::uint32_t> words);

// The first capability that is not enabled, in the words of the feature that has it; "" if all are. One that the suite enables
// nowhere is never there: what a pipeline of such a module does is undefined.
std::string missing_capability(std::span<const std::uint32_t> words, const OptionalFeatures& has,
                               vk::SubgroupFeatureFlags subgroup_operations);

// Whether one of `listed` multiplies this matrix with so many invocations.
bool multiplies(std::span<const FlexibleMatrix> listed, const VulkanLaunch::WorkgroupMatrix& matrix, std::uint32_t invocations);

}  // namespace bench::vulkan
