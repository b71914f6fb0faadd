#include "run/cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/experiment/checks.h"
#include "cuda/api/identity.h"
#include "description/expression.h"
#include "vulkan/api/identity.h"

namespace bench::own {
namespace {

const Api& api_of(const Side& side) { return side.api == SideApi::kCuda ? cuda::kApi : vulkan::kApi; }

// What the modules of both sides declare: they run on one device.
std::vector<std::uint32_t> capabilities_of(const Job& job) {
  std::set<std::uint32_t> found;
  for (const std::optional<CompiledSide>& side : job.sides) {
    if (!side) continue;
    for (const auto& step : side->steps)
      found.insert(step->compiled().spirv.capabilities.begin(), step->compiled().spirv.capabilities.end());
  }
  return {found.begin(), found.end()};
}

struct Footprint {
  std::uint64_t bytes = 0;     // distinct
  std::uint64_t moved = 0;     // an inout's are read and written
  std::uint64_t elements = 0;  // of the largest buffer
};

Footprint footprint_of(const Description& description, const Sizes& sizes) {
  Footprint sum;
  for (const Buffer& buffer : description.buffers) {
    const std::uint64_t bytes = bytes_of(buffer, sizes);
    sum.bytes += bytes;
    if (buffer.role != Role::kScratch) sum.moved += buffer.role == Role::kInout ? 2 * bytes : bytes;
    sum.elements = std::max(sum.elements, bytes / bytes_of(buffer.type));
  }
  return sum;
}

class CaseMaker {
 public:
  CaseMaker(const Job& job, const CaseWish& wish, Outputs& outputs)
      : job_(job), description_(job.description), wish_(wish), outputs_(outputs), capabilities_(capabilities_of(job)) {}

  std::vector<Case> make(const Plan& plan) const {
    std::vector<Case> cases;
    const std::size_t count = description_.sizes.size();
    const bool has_vulkan =
        std::ranges::any_of(description_.sides, [](const Side& one) { return one.api == SideApi::kVulkan; });
    const bool is_short = wish_.alone || wish_.one_launch;
    for (const Checks checks : {Checks::kDefault, Checks::kOff}) {
      if (checks == Checks::kOff && (!has_vulkan || is_short)) continue;
      for (std::size_t sizes = wish_.one_launch ? last_wanted() : 0; sizes < count; ++sizes) {
        if (wish_.one_launch && !cases.empty()) break;
        for (const Cache cache : caches_of(plan, sizes)) {
          add(cases, {}, sizes, cache, checks);
          for (std::size_t step = 0; step < steps() && !is_short; ++step) add(cases, step, sizes, cache, checks);
        }
      }
    }
    return cases;
  }

 private:
  // Of a pipeline: those that are timed alone.
  std::size_t steps() const {
    std::size_t most = 0;
    for (const Side& side : description_.sides) most = std::max(most, side.steps.size());
    return most > 1 ? most : 0;
  }

  std::vector<Cache> caches_of(const Plan& plan, std::size_t sizes) const {
    if (wish_.alone || wish_.one_launch) return {Cache::kWarm};
    if (!description_.caches.empty() && plan.caches.empty()) return description_.caches;
    return plan.caches_for(footprint_of(description_, description_.sizes[sizes]).bytes);
  }

  // The last sizes that a side is still wanted for: the largest may exceed what a device can launch.
  std::size_t last_wanted() const {
    std::size_t sizes = description_.sizes.size() - 1;
    const auto has_side = [&] {
      for (std::size_t side = 0; side < description_.sides.size(); ++side) {
        if (is_wanted(side, sizes)) return true;
      }
      return false;
    };
    while (sizes > 0 && !has_side()) --sizes;
    return sizes;
  }

  bool is_wanted(std::size_t side, std::size_t sizes) const {
    return job_.sides[side] && (!wish_.alone || *wish_.alone == side) && !wish_.without.contains({side, sizes});
  }

  void add(std::vector<Case>& cases, std::optional<std::size_t> step, std::size_t sizes, Cache cache, Checks checks) const {
    const Sizes& with = description_.sizes[sizes];
    const Footprint footprint = footprint_of(description_, with);
    Case one;
    const bool replays = step && must_replay(job_, *step);
    for (std::size_t side = 0; side < description_.sides.size(); ++side) {
      if (!is_wanted(side, sizes) || (step && *step >= description_.sides[side].steps.size())) continue;
      one.sides.push_back(side_of({.side = side,
                                   .sizes = sizes,
                                   .step = step,
                                   .robustness = robustness_of(checks),
                                   .restores = restores(cache),
                                   .replays = replays,
                                   .alone = wish_.alone.has_value(),
                                   .is_first = one.sides.empty()},
                                  checks));
    }
    if (one.sides.empty()) return;
    one.elements = footprint.elements;
    one.footprint_bytes = footprint.bytes;
    const bool is_told = !description_.useful_bytes.text.empty();
    if (!step) one.useful_bytes = is_told ? count_of(description_.useful_bytes, with) : footprint.moved;
    if (!step && !description_.operations.text.empty()) one.model = {{"operations", count_of(description_.operations, with)}};
    one.cache = cache;
    one.fixed_batch = restores(cache) || replays ? 1 : 0;
    one.vulkan = vulkan_of(checks);
    one.vulkan.capabilities = capabilities_;
    cases.push_back(std::move(one));
  }

  // Either both sides restore, or neither: a case has one batch.
  bool restores(Cache cache) const {
    const bool has_inout =
        std::ranges::any_of(description_.buffers, [](const Buffer& one) { return one.role == Role::kInout; });
    return has_inout && (description_.restores_each || cache == Cache::kCold);
  }

  bench::Side side_of(const SideCase& of, Checks checks) const {
    const Side& side = description_.sides[of.side];
    bench::Side result = {.api = api_of(side),
                          .variant = description_.name + (of.step ? fmt::format(".step{}", *of.step + 1) : ""),
                          .params = {{"side", side.name},
                                     {"sizes", text_of(description_.sizes[of.sizes])},
                                     {"checks", checks_value(checks)},
                                     {"process", unless_zero(wish_.process)}},
                          .set_up = {}};
    result.set_up = [&job = job_, &outputs = outputs_, of](Workbench& bench) { return own::set_up(bench, job, of, outputs); };
    return result;
  }

  const Job& job_;
  const Description& description_;
  const CaseWish& wish_;
  Outputs& outputs_;
  std::vector<std::uint32_t> capabilities_;
};

}  // namespace

Experiment experiment_of(const Job& job, const CaseWish& wish, Outputs& outputs) {
  Experiment experiment = {
      .name = kExperiment,
      .question = "Which of a user's two kernels is faster on this GPU, and why?",
      .params = {Column::text("side", "the side's name in the TOML file"),
                 Column::text("sizes", "the sizes: \"n = 65536\"").optional(), checks_column(),
                 Column::integer("process", "", "of those that timed the cases, from 1").optional()},
      .model = {Column::integer("operations", "", "of one launch, as the TOML file says")},
      .variants = {{job.description.name, "the kernels of " + job.description.file.string()}},
      .cases = [&job, wish, &outputs](const Plan& plan) { return CaseMaker(job, wish, outputs).make(plan); },
      .takes_size = false,
  };
  return experiment;
}

}  // namespace bench::own
