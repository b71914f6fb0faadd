#include "vulkan/launch/pipeline_isa.h"

#include <algorithm>
#include <vector>

#include "core/code/listing.h"
#include "core/code/machine_code.h"
#include "core/code/nv_cache.h"

namespace bench::vulkan {
namespace {

// NVIDIA's driver 580 gives this for Local Memory Size, whatever the kernel: 64 GiB.
constexpr double kNonsense = 68719476736;

double number(const vk::PipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case vk::PipelineExecutableStatisticFormatKHR::eBool32:
      return statistic.value.b32 != 0 ? 1 : 0;
    case vk::PipelineExecutableStatisticFormatKHR::eInt64:
      return static_cast<double>(statistic.value.i64);
    case vk::PipelineExecutableStatisticFormatKHR::eUint64:
      return static_cast<double>(statistic.value.u64);
    case vk::PipelineExecutableStatisticFormatKHR::eFloat64:
      return statistic.value.f64;
  }
  return 0;
}

// Every textual representation of one executable, each under its name.
std::string listing(const Context& context, const vk::PipelineExecutableInfoKHR& executable) {
  // How many there are, then how long each is, then their texts.
  std::uint32_t count = 0;
  std::vector<vk::PipelineExecutableInternalRepresentationKHR> representations;
  std::vector<std::vector<char>> texts;
  const auto call = [&] {
    return (*context.device())
        .getPipelineExecutableInternalRepresentationsKHR(
            &executable, &count, representations.empty() ? nullptr : representations.data(), *context.device().getDispatcher());
  };
  if (call() != vk::Result::eSuccess) return {};
  representations.resize(count);
  if (count == 0 || call() != vk::Result::eSuccess) return {};
  for (vk::PipelineExecutableInternalRepresentationKHR& one : representations) {
    texts.emplace_back(one.dataSize + 1);
    one.pData = texts.back().data();
  }
  if (call() != vk::Result::eSuccess) return {};
  std::string result;
  for (std::size_t i = 0; i < count; ++i) {
    if (representations[i].isText) {
      result += fmt::format("==== {}\n{}\n", representations[i].name.data(), texts[i].data());
    }
  }
  return result;
}

}  // namespace

KernelCode cached_code(const Context& context, const vk::raii::PipelineCache& cache) {
  KernelCode result;
  if (context.info().is_cpu) {
    result.reason =
        fmt::format("a software device has no GPU code ({}, driver {})", context.info().name, context.info().driver);
    return result;
  }
  const std::vector<std::uint8_t> data = BENCH_VK(cache.getData());
  result = read_nv_cache(std::as_bytes(std::span(data)));
  if (!result.reason.empty()) {
    result.reason = fmt::format("no code found in this driver's cache (driver {}): {}", context.info().driver, result.reason);
  }
  return result;
}

void add_executables(const Context& context, vk::Pipeline inspected, const KernelCode& inspected_code, KernelCode& code) {
  const std::vector<vk::PipelineExecutablePropertiesKHR> executables =
      BENCH_VK(context.device().getPipelineExecutablePropertiesKHR({.pipeline = inspected}));
  for (std::uint32_t i = 0; i < executables.size(); ++i) {
    const vk::PipelineExecutableInfoKHR executable{.pipeline = inspected, .executableIndex = i};
    // A compute pipeline has one as a rule; the names of several would collide.
    const std::string prefix = executables.size() > 1 ? fmt::format("{}: ", executables[i].name.data()) : std::string();
    code.statistics.emplace_back(prefix + "Subgroup Size", executables[i].subgroupSize);
    for (const vk::PipelineExecutableStatisticKHR& statistic :
         BENCH_VK(context.device().getPipelineExecutableStatisticsKHR(executable))) {
      if (number(statistic) != kNonsense) {
        code.statistics.emplace_back(prefix + statistic.name.data(), number(statistic));
      }
    }
    code.text += listing(context, executable);
  }

  if (code.code.empty()) {
    if (!assembly_of(code.text).empty()) code.reason.clear();
    return;
  }
  if (!inspected_code.code.empty() && isa_hash(inspected_code.code) != isa_hash(code.code)) {
    code.reason = fmt::format("the statistics are those of other code ({}): capturing them changes what the driver makes",
                              isa_hash(inspected_code.code));
    return;
  }
  const auto size = std::ranges::find(code.statistics, "Binary Size", &std::pair<std::string, double>::first);
  if (size != code.statistics.end() && size->second != static_cast<double>(code.code.size())) {
    code.reason = fmt::format("the code section has {} bytes, the driver's statistic Binary Size says {}", code.code.size(),
                              size->second);
  }
}

}  // namespace bench::vulkan
