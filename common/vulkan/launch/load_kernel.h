// A kernel as any device of this API loads it, and what of its spec is in a name.
#pragma once

#include <memory>
#include <string>

#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

inline constexpr double kCompilationS = 10;  // of a kernel, at most

// See Device::build_of and Device::load.
std::string build_of(const KernelSpec& spec);
std::unique_ptr<Kernel> load_kernel(const Context& context, const KernelSpec& spec);

}  // namespace bench::vulkan
