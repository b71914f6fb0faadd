#include "vulkan/launch/load_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/watchdog.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/launch/imported_kernel.h"

namespace bench::vulkan {

std::string build_of(const KernelSpec& spec) {
  std::vector<std::string_view> parts;
  if (spec.vulkan.binding != BufferBinding::kDescriptors) parts.push_back(to_string(spec.vulkan.binding));
  if (spec.vulkan.robustness != Robustness::kDefault) parts.push_back(to_string(spec.vulkan.robustness));
  return fmt::format("{}", fmt::join(parts, "-"));
}

std::unique_ptr<Kernel> load_kernel(const Context& context, const KernelSpec& spec) {
  const Deadline deadline("the compilation of a kernel", kCompilationS, WaitFor::kDriver);
  if (spec.images == nullptr) throw Skip("kernel {} is not written for Vulkan", spec.entry);
  if (spec.vulkan.imported) return std::make_unique<ImportedKernel>(context, spec);
  return std::make_unique<ComputePipeline>(context, spec);
}

}  // namespace bench::vulkan
