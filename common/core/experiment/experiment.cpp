#include "core/experiment/experiment.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace bench {
namespace {

// 33 warps: more than one block of any size but the largest, and a last block that is not full.
constexpr std::uint64_t kSmokeElements = 33 * 32;

constexpr std::uint64_t kWarp = 32;
// A grid-stride loop counts in 32 bits, and its last turn steps past the last word by a stride: 2^22 threads at most.
constexpr std::uint64_t kLongestStride = 1ULL << 22;
constexpr std::uint64_t kIndexableBytes = ((1ULL << 32) - kLongestStride) * sizeof(std::uint32_t);

// What keeps a size from being larger.
struct Limit {
  std::uint64_t elements;
  std::string why;
};

Limit tightest(const Plan& plan, std::uint64_t bytes_per_element) {
  Limit limit = {
      plan.wished_buffer_bytes / bytes_per_element,
      fmt::format("one buffer has room for {} bytes, an element takes {}", plan.wished_buffer_bytes, bytes_per_element)};
  if (kIndexableBytes / bytes_per_element < limit.elements) {
    limit = {kIndexableBytes / bytes_per_element, "kernels count the words of a buffer, and a stride beyond, in 32 bits"};
  }
  if (plan.max_grid_x != 0 && plan.max_grid_x * kWarp < limit.elements) {
    limit = {plan.max_grid_x * kWarp, fmt::format("one launch has {} blocks at most, of a warp at least", plan.max_grid_x)};
  }
  limit.elements = limit.elements / kWarp * kWarp;
  return limit;
}

void check_fits(const Plan& plan, std::uint64_t elements, std::uint64_t bytes_per_element) {
  if (elements % kWarp != 0) throw UsageError("--size {}: sizes are multiples of 32 elements, one warp", elements);
  const Limit limit = tightest(plan, bytes_per_element);
  if (elements > limit.elements)
    throw UsageError("--size {}: the largest size here is {}: {}", elements, limit.elements, limit.why);
}

}  // namespace

std::uint64_t Plan::most(std::uint64_t bytes_per_element) const { return tightest(*this, bytes_per_element).elements; }

std::vector<std::uint64_t> Plan::sizes_or(std::uint32_t first_log2, std::uint32_t last_log2, std::uint32_t step,
                                          std::uint64_t bytes_per_element) const {
  if (!sizes.empty()) {
    for (const std::uint64_t size : sizes) check_fits(*this, size, bytes_per_element);
    return sizes;
  }
  if (smoke) return {kSmokeElements};
  const std::uint64_t last = largest(last_log2, bytes_per_element);
  std::vector<std::uint64_t> result;
  for (std::uint64_t size = 1ULL << first_log2; size < last; size <<= step) result.push_back(size);
  result.push_back(last);
  return result;
}

std::uint32_t Plan::resident_blocks(std::uint32_t block) const {
  const std::uint32_t threads = resident_threads != 0 ? resident_threads : kUnknownResidentThreads;
  return std::max(multiprocessors, 1U) * std::max(threads / block, 1U);
}

std::uint64_t Plan::largest(std::uint32_t limit_log2, std::uint64_t bytes_per_element, std::uint32_t buffers) const {
  if (!sizes.empty()) {
    const std::uint64_t size = *std::max_element(sizes.begin(), sizes.end());
    check_fits(*this, size, bytes_per_element);
    return size;
  }
  if (smoke) return kSmokeElements;
  const auto fitting = [&](std::uint64_t buffer_bytes) {
    std::uint64_t size = 1ULL << limit_log2;
    while (size > kWarp && size * bytes_per_element > buffer_bytes) size >>= 1;
    return size;
  };
  const std::uint64_t share = memory_bytes == 0 ? max_buffer_bytes : share_of(memory_bytes, buffers);
  const std::uint64_t size = fitting(std::min(max_buffer_bytes, share));
  if (const std::uint64_t wanted = fitting(default_buffer_bytes); default_buffer_bytes != 0 && size < wanted) {
    cuts->insert(fmt::format("sizes end at {} elements of {} bytes in place of {}: {} buffers in each API, in {} MiB of memory",
                             size, bytes_per_element, wanted, buffers, memory_bytes >> 20));
  }
  return size;
}

std::vector<Cache> Plan::caches_for(std::uint64_t footprint_bytes) const {
  if (footprint_bytes == 0) return {Cache::kWarm};
  if (!caches.empty()) return caches;
  return {is_dram(footprint_bytes) ? Cache::kCold : Cache::kWarm};
}

Schema schema_of(const Experiment& experiment) {
  return Schema(
      {.experiment = experiment.name, .params = experiment.params, .model = experiment.model, .measured = experiment.measured});
}

Case twin(const std::string& variant, const Values& params, const std::function<Prepared(Workbench&)>& set_up) {
  Case result;
  result.sides = {{.variant = variant, .params = params, .set_up = set_up}};
  return result;
}

std::vector<Case> with_sides(const std::vector<Case>& table, std::span<const Api> apis) {
  const auto names_none = [](const Side& side) { return side.api == Api{}; };
  const auto of_api = [](Side side, const Api& api) {
    side.api = api;
    if (side.worded) side.params.set(side.worded(api));
    return side;
  };
  std::vector<Case> cases;
  for (const Case& one : table) {
    const auto open = std::count_if(one.sides.begin(), one.sides.end(), names_none);
    if (open == 0) {
      cases.push_back(one);
      continue;
    }
    if (open != std::ssize(one.sides))
      throw Error("variant {}: either all sides of a case name an API, or none", one.sides[0].variant);
    std::vector<Api> wanted(apis.begin(), apis.end());
    if (one.apis) std::erase_if(wanted, [&](const Api& api) { return std::ranges::count(*one.apis, api) == 0; });
    Case pair = one;
    pair.sides.clear();
    for (const Api& api : wanted) {
      Case of_one = one;
      for (Side& side : of_one.sides) side = of_api(side, api);
      if (open > 1) cases.push_back(of_one);
      pair.sides.insert(pair.sides.end(), of_one.sides.begin(), of_one.sides.end());
    }
    if (open == 1) cases.push_back(pair);
  }
  return cases;
}

std::vector<Case> aa_controls(const Case& original) {
  std::vector<Case> controls;
  for (const Side& side : original.sides) {
    Case control = original;
    control.sides = {side, side};
    control.sides[0].variant = "aa_control_a";
    control.sides[1].variant = "aa_control_b";
    controls.push_back(std::move(control));
  }
  return controls;
}

}  // namespace bench
