#include "core/device/kernel_interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace bench {
namespace {

struct Binding {
  std::uint32_t index = 0;
  std::string kind;
  auto operator<=>(const Binding&) const = default;  // NOLINT(modernize-use-nullptr): a comparison with 0
};

std::string to_string(const std::set<Binding>& bindings) {
  std::vector<std::string> texts;
  for (const Binding& binding : bindings) texts.push_back(fmt::format("{} at {}", binding.kind, binding.index));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

// What the set of this spec's layout holds.
std::set<Binding> given_bindings(const KernelSpec& spec) {
  if (spec.vulkan.binding == BufferBinding::kAddress || spec.buffers == 0) return {};
  if (spec.vulkan.binding == BufferBinding::kBindless) return {{0, "storage buffers"}};
  std::set<Binding> result;
  for (std::uint32_t i = 0; i < spec.buffers; ++i) {
    const bool uniform = spec.vulkan.binding == BufferBinding::kUniform && i + 1 < spec.buffers;
    result.insert({i, uniform ? "uniform buffer" : "storage buffer"});
  }
  return result;
}

std::set<Binding> taken_bindings(const SpirvInterface& takes) {
  std::set<Binding> result;
  for (const SpirvInterface::Binding& one : takes.buffers) {
    const std::string elsewhere = one.set == 0 ? "" : fmt::format(" of set {}", one.set);
    result.insert({one.binding,
                   fmt::format("{} buffer{}{}", one.is_uniform ? "uniform" : "storage", one.is_array ? "s" : "", elsewhere)});
  }
  return result;
}

void check(const Launch& launch) {
  if (launch.kernel == nullptr) throw Error("a launch without a kernel");
  const KernelSpec& spec = launch.kernel->spec();
  if (launch.buffers.size() != spec.buffers || launch.params.size() != spec.params_bytes) {
    throw Error("{}: {} buffers and {} bytes of parameters given, {} and {} declared", spec.entry, launch.buffers.size(),
                launch.params.size(), spec.buffers, spec.params_bytes);
  }
  if (std::ranges::count(launch.buffers, nullptr) != 0) throw Error("{}: a buffer is missing", spec.entry);
}

void check(const Copy& copy) {
  if (copy.source == nullptr || copy.destination == nullptr || copy.bytes == 0) {
    throw Error("a copy of {} bytes lacks a buffer or a size", copy.bytes);
  }
  copy.source->check_range(0, copy.bytes);
  copy.destination->check_range(0, copy.bytes);
}

void check(const Nothing& /*nothing*/) {}

void check(const Passes& passes) {
  if (passes.launches.empty()) throw Error("passes without a launch");
  for (const Launch& launch : passes.launches) check(launch);
}

}  // namespace

void check_work(const Work& work) {
  std::visit([](const auto& one) { check(one); }, work);
}

std::uint32_t push_bytes_of_buffers(const KernelSpec& spec) {
  const std::size_t bytes = spec.vulkan.binding == BufferBinding::kAddress    ? sizeof(std::uint64_t)
                            : spec.vulkan.binding == BufferBinding::kBindless ? sizeof(std::uint32_t)
                                                                              : 0;
  return spec.buffers * static_cast<std::uint32_t>(bytes);
}

void check_parameters(const KernelSpec& spec, std::span<const std::size_t> parameters) {
  std::vector<std::size_t> given(spec.buffers, sizeof(void*));
  if (spec.params_bytes != 0) given.push_back(spec.params_bytes);
  if (std::equal(given.begin(), given.end(), parameters.begin(), parameters.end())) return;
  throw Error("{}: takes {} parameters ({} bytes); given {}: {} buffers and {} bytes of parameters", spec.entry,
              parameters.size(), fmt::join(parameters, ", "), given.size(), spec.buffers, spec.params_bytes);
}

void check_spirv(const KernelSpec& spec) {
  const SpirvInterface& takes = spec.images->takes;
  const std::string_view stem = spec.images->stem;
  const std::set<Binding> taken = taken_bindings(takes);
  const std::set<Binding> bound = given_bindings(spec);
  const bool all_given = std::includes(bound.begin(), bound.end(), taken.begin(), taken.end());
  if (!all_given || (taken.size() != bound.size() && !spec.vulkan.takes_less)) {
    throw Error("kernel {}: takes {}; given {} ({} buffers, {})", stem, to_string(taken), to_string(bound), spec.buffers,
                bench::to_string(spec.vulkan.binding));
  }
  if (const std::uint32_t given = push_bytes_of_buffers(spec) + spec.params_bytes;
      spec.vulkan.takes_less ? takes.push_bytes > given : takes.push_bytes != given) {
    throw Error("kernel {}: takes {} bytes of push constants; given {}", stem, takes.push_bytes, given);
  }
  std::vector<unsigned> given(1 + spec.constants.size());  // 0: the workgroup's size
  std::iota(given.begin(), given.end(), 0U);
  if (!std::includes(given.begin(), given.end(), takes.constants.begin(), takes.constants.end())) {
    throw Error("kernel {}: takes the specialization constants {}; given {}", stem, fmt::join(takes.constants, ", "),
                fmt::join(given, ", "));
  }
}

}  // namespace bench
