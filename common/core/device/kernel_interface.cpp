#include "core/device/kernel_interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace bench {
namespace {

struct Binding {
  std::uint32_t set = 0;
  std::uint32_t index = 0;
  std::string kind;
  auto operator<=>(const Binding&) const = default;  // NOLINT(modernize-use-nullptr): a comparison with 0
};

std::string to_string(const std::set<Binding>& bindings) {
  std::vector<std::string> texts;
  for (const Binding& one : bindings) {
    texts.push_back(fmt::format("{} at {}{}", one.kind, one.index, one.set == 0 ? "" : fmt::format(" of set {}", one.set)));
  }
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string kind_of(bool is_uniform, bool is_array) {
  return fmt::format("{} buffer{}", is_uniform ? "uniform" : "storage", is_array ? "s" : "");
}

// What the sets of this spec's layout hold.
std::set<Binding> given_bindings(const KernelSpec& spec) {
  if (spec.vulkan.interface) {
    std::set<Binding> result;
    for (const VulkanInterface::Descriptor& one : spec.vulkan.interface->descriptors) {
      result.insert({one.set, one.binding, kind_of(one.is_uniform, false)});
    }
    return result;
  }
  if (spec.vulkan.binding == BufferBinding::kAddress || spec.buffers == 0) return {};
  if (spec.vulkan.binding == BufferBinding::kBindless) return {{0, 0, kind_of(false, true)}};
  std::set<Binding> result;
  for (std::uint32_t i = 0; i < spec.buffers; ++i) {
    const bool uniform = spec.vulkan.binding == BufferBinding::kUniform && i + 1 < spec.buffers;
    result.insert({0, i, kind_of(uniform, false)});
  }
  return result;
}

std::set<Binding> taken_bindings(const SpirvInterface& takes) {
  std::set<Binding> result;
  for (const SpirvInterface::Binding& one : takes.buffers) {
    result.insert({one.set, one.binding, kind_of(one.is_uniform, one.is_array)});
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
  for (const AddressInParams& one : spec.addresses) {
    if (one.buffer >= launch.buffers.size() || one.offset + sizeof(std::uint64_t) > launch.params.size()) {
      throw Error("{}: the address of buffer {} at byte {}; there are {} buffers and {} bytes", spec.entry, one.buffer,
                  one.offset, launch.buffers.size(), launch.params.size());
    }
  }
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
  if (!passes.overlaps.empty() && passes.overlaps.size() != passes.launches.size())
    throw Error("{} passes, of {} is told whether they overlap", passes.launches.size(), passes.overlaps.size());
  for (const Launch& launch : passes.launches) check(launch);
}

}  // namespace

void check_work(const Work& work) {
  std::visit([](const auto& one) { check(one); }, work);
}

std::uint32_t push_bytes_of_buffers(const KernelSpec& spec) {
  if (spec.vulkan.interface) return 0;  // params has them
  const std::size_t bytes = spec.vulkan.binding == BufferBinding::kAddress    ? sizeof(std::uint64_t)
                            : spec.vulkan.binding == BufferBinding::kBindless ? sizeof(std::uint32_t)
                                                                              : 0;
  return spec.buffers * static_cast<std::uint32_t>(bytes);
}

std::vector<std::byte> with_addresses(const Launch& launch, const std::function<std::uint64_t(std::uint32_t)>& address_of) {
  std::vector<std::byte> bytes = launch.params;
  for (const AddressInParams& one : launch.kernel->spec().addresses) {
    const std::uint64_t address = address_of(one.buffer);
    std::memcpy(bytes.data() + one.offset, &address, sizeof address);
  }
  return bytes;
}

void check_parameters(const KernelSpec& spec, std::span<const std::size_t> parameters) {
  std::vector<std::size_t> given;
  for (const ParamsPart& one : spec.cuda.arguments) {
    given.push_back(one.bytes);
    if (std::uint64_t{one.offset} + one.bytes > spec.params_bytes)
      throw Error("{}: an argument of {} bytes at byte {} of {}", spec.entry, one.bytes, one.offset, spec.params_bytes);
  }
  if (spec.cuda.arguments.empty()) {
    given.resize(spec.buffers, sizeof(void*));
    if (spec.params_bytes != 0) given.push_back(spec.params_bytes);
  }
  if (std::ranges::equal(given, parameters)) return;
  throw Error("{}: takes {} parameters ({} bytes); given {} ({} bytes)", spec.entry, parameters.size(),
              fmt::join(parameters, ", "), given.size(), fmt::join(given, ", "));
}

void check_spirv(const KernelSpec& spec) {
  const SpirvInterface& takes = spec.images->takes;
  const std::string_view stem = spec.images->stem;
  const std::set<Binding> taken = taken_bindings(takes);
  const std::set<Binding> bound = given_bindings(spec);
  const bool all_given = std::includes(bound.begin(), bound.end(), taken.begin(), taken.end());
  const bool may_take_less = spec.vulkan.takes_less || spec.vulkan.interface;
  if (!all_given || (taken.size() != bound.size() && !may_take_less)) {
    throw Error("kernel {}: takes {}; given {} ({} buffers, {})", stem, to_string(taken), to_string(bound), spec.buffers,
                bench::to_string(spec.vulkan.binding));
  }
  if (const std::uint32_t given = push_bytes_of_buffers(spec) + spec.params_bytes;
      may_take_less ? takes.push_bytes > given : takes.push_bytes != given) {
    throw Error("kernel {}: takes {} bytes of push constants; given {}", stem, takes.push_bytes, given);
  }
  if (spec.vulkan.interface) {
    for (const VulkanInterface::Constant& one : spec.vulkan.interface->constants) {
      if (std::ranges::count(takes.constants, one.id) != 0) continue;
      throw Error("kernel {}: takes the specialization constants {}; given {}", stem, fmt::join(takes.constants, ", "), one.id);
    }
    return;
  }
  std::vector<unsigned> given(1 + spec.constants.size());  // 0: the workgroup's size
  std::iota(given.begin(), given.end(), 0U);
  if (!std::includes(given.begin(), given.end(), takes.constants.begin(), takes.constants.end())) {
    throw Error("kernel {}: takes the specialization constants {}; given {}", stem, fmt::join(takes.constants, ", "),
                fmt::join(given, ", "));
  }
}

}  // namespace bench
