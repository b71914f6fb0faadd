// The machine code of a compute pipeline, as far as the driver gives it out.
#pragma once

#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

// The code of the one pipeline that `cache` holds: NVIDIA's drivers keep it there. Other drivers: none, with the reason.
KernelCode cached_code(const Context& context, const vk::raii::PipelineCache& cache);

// Adds to `code` the statistics and the listing that VK_KHR_pipeline_executable_properties gives for `inspected`, a pipeline
// created with the CAPTURE flags. Where there are no bytes, an assembly in the listing will do; of bytes it says in code.reason
// if statistics and listing may belong to other code: `inspected_code` differs, or the statistic Binary Size (NVIDIA) is not
// the code's size.
void add_executables(const Context& context, vk::Pipeline inspected, const KernelCode& inspected_code, KernelCode& code);

}  // namespace bench::vulkan
