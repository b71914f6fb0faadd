#include "core/run/case_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <set>
#include <utility>

#include "core/base/csv.h"
#include "core/base/durable_file.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/random.h"
#include "core/experiment/checks.h"

namespace bench {
namespace {

// Default ceiling of one buffer.
constexpr std::uint64_t kGpuBufferBytes = 2ULL << 30;
constexpr std::uint64_t kCpuBufferBytes = 4ULL << 20;

// Streams of random bits that the cases' order is drawn from; the sampler's is 0.
enum class Drawn : std::uint32_t { kDevice = 0x0cde1, kFetch, kCase };

// Of each case: which of the distinct choices it has, in the order in which they are listed.
std::vector<std::uint32_t> numbers_of_devices(const std::vector<Case>& cases) {
  std::vector<const VulkanChoice*> distinct;
  std::vector<std::uint32_t> numbers;
  for (const Case& one : cases) {
    const auto known = std::ranges::find_if(distinct, [&](const VulkanChoice* each) { return *each == one.vulkan; });
    numbers.push_back(static_cast<std::uint32_t>(known - distinct.begin()));
    if (known == distinct.end()) distinct.push_back(&one.vulkan);
  }
  return numbers;
}

// exp01/add_f32/block:256/n:1024, with those parameters that are wanted.
std::string name_of(const Experiment& experiment, const Case& the_case, const Side& side,
                    const std::function<bool(const Column&)>& wanted) {
  std::string name = fmt::format("{}/{}", experiment.name.substr(0, 5), side.variant);
  for (const Column& param : experiment.params) {
    const std::string value = wanted(param) ? side.params.text(param.name) : "";
    if (!value.empty()) name += fmt::format("/{}:{}", param.name, value);
  }
  return name + fmt::format("/n:{}", the_case.elements);
}

std::vector<std::string_view> names_of(const std::vector<VariantText>& variants) {
  std::vector<std::string_view> names;
  for (const VariantText& variant : variants) names.push_back(variant.name);
  return names;
}

// Each wish must be a variant's, even where another is.
void check_variants(const Experiment& experiment, const Options& options) {
  const std::vector<std::string_view> names = names_of(experiment.variants);
  for (const std::string& wish : options.variants) {
    const auto named = [&](std::string_view name) { return means_variant(wish, name); };
    if (std::none_of(names.begin(), names.end(), named)) {
      throw UsageError("--variant {} matches nothing; there are: {}", wish, fmt::join(names, " "));
    }
  }
}

// Said before anything runs: a name is what tells one row from another, and every row's values must fit the columns that the
// experiment declares.
void check_cases(const Experiment& experiment, const std::vector<Case>& cases) {
  std::set<std::string> taken;
  for (const Case& one : cases) {
    for (const Side& side : one.sides) {
      try {
        check_values(side.params, experiment.params);
        if (!one.model.empty()) check_values(one.model, experiment.model);
      } catch (const Error& error) {
        throw Error("{}, variant {}: {}", experiment.name, side.variant, error.what());
      }
      const std::string name = benchmark_name(experiment, one, side);
      if (!taken.insert(name).second) throw Error("two cases are called {}", name);
    }
  }
}

// Whole cases: a side alone would be sampled in another order than beside its twin.
void keep_listed(const Experiment& experiment, const std::string& path, const Plan& plan, std::vector<Case>& cases) {
  const std::vector<CsvRow> records = parse_csv(read_file(path));
  if (records.size() < 2) throw UsageError("--cases {}: there is no row in it, or no such file", path);
  const FileColumns columns = schema_of(experiment).results;
  const CsvRow& header = records[0];
  std::set<std::string> known;
  for (const Case& one : cases) {
    for (const Side& side : one.sides) known.insert(columns.key(keys(one, side)));
  }
  std::set<std::string> listed;
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].size() != header.size()) throw UsageError("--cases {}: record {} is not as long as the header", path, i + 1);
    Values row;
    for (const Column& column : columns.columns()) {
      if (!column.is_key) continue;
      const auto at = std::find(header.begin(), header.end(), column.name);
      if (at == header.end()) throw UsageError("--cases {}: there is no column {}", path, column.name);
      row.set(column.name, std::string_view(records[i][static_cast<std::size_t>(at - header.begin())]));
    }
    // An API that is not asked for has no cases here.
    const auto is_of_row = [&](const Api& api) { return to_string(api) == row.text("api"); };
    if (std::none_of(plan.apis.begin(), plan.apis.end(), is_of_row)) continue;
    const std::string key = columns.key(row);
    if (!known.contains(key)) {
      throw UsageError("--cases {}: record {}: {} has no such case: {}", path, i + 1, experiment.name,
                       std::string_view(key).substr(0, key.size() - 1));
    }
    listed.insert(key);
  }
  const std::size_t all = cases.size();
  std::erase_if(cases, [&](const Case& one) {
    return std::none_of(one.sides.begin(), one.sides.end(),
                        [&](const Side& side) { return listed.contains(columns.key(keys(one, side))); });
  });
  if (cases.empty()) throw UsageError("--cases {}: it names no case of {}", path, experiment.name);
  say(fmt::format("{}: {} of {} cases, those that {} names", experiment.name, cases.size(), all, path));
}

// Of two limits, 0 being one that is not known.
std::uint64_t least_known(std::uint64_t a, std::uint64_t b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

}  // namespace

Plan make_plan(const Options& options, const OpenDevices& devices) {
  Plan plan;
  plan.cpu = true;
  plan.smoke = options.smoke || !options.dump_isa.empty();
  plan.quick = options.quick;
  plan.sizes = options.sizes;
  plan.caches = options.caches;
  plan.wished_buffer_bytes = ~0ULL;
  std::vector<DeviceInfo> infos;
  constexpr std::uint64_t kGuardBytes = kGuardWords * sizeof(std::uint32_t);
  for (const auto& [api, open] : devices.all()) {
    plan.apis.push_back(api);
    if (!open.device) continue;
    infos.push_back(open.info);
    plan.cpu = plan.cpu && open.info.is_cpu;
    plan.max_grid_x = least_known(plan.max_grid_x, open.info.max_grid_x);
    plan.memory_bytes = least_known(plan.memory_bytes, open.info.memory_bytes);
    plan.wished_buffer_bytes =
        std::min(plan.wished_buffer_bytes, open.info.max_buffer_bytes - std::min(open.info.max_buffer_bytes, kGuardBytes));
    if (!open.device->runs()) continue;  // nor has it to have memory
    plan.wished_buffer_bytes = std::min(plan.wished_buffer_bytes, Plan::share_of(open.info.memory_bytes, Plan::kBuffers));
  }
  static_cast<Capacity&>(plan) = capacity_of(infos);
  plan.default_buffer_bytes = plan.cpu ? kCpuBufferBytes : kGpuBufferBytes;
  plan.max_buffer_bytes = std::min(plan.wished_buffer_bytes, plan.default_buffer_bytes);
  if (plan.quick && plan.memory_bytes != 0) {
    const std::uint64_t quick_bytes = std::max(std::bit_floor(plan.memory_bytes / Plan::kQuickPart), plan.dram_bytes);
    plan.max_buffer_bytes = std::min(plan.max_buffer_bytes, quick_bytes);
  }
  return plan;
}

std::vector<Case> choose_cases(const Experiment& experiment, const Options& options, const Plan& plan) {
  check_variants(experiment, options);
  std::vector<Case> cases = with_sides(experiment.cases(plan), plan.apis);
  for (const std::string& cut : *plan.cuts) say(fmt::format("{}: {}", experiment.name, cut));
  check_cases(experiment, cases);
  if (!options.cases.empty()) keep_listed(experiment, options.cases, plan, cases);
  keep_sides(cases, [&](const Case&, const Side& side) {
    const Value* memory = side.params.find(kMemoryParam);
    return wants_variant(options, side.variant) && (memory == nullptr || wants_memory(options, memory->text()));
  });
  if (cases.empty()) {
    throw UsageError("--variant {}{}{} matches nothing; there are: {}", fmt::join(options.variants, ","),
                     options.memory.empty() ? "" : " --memory " + options.memory,
                     options.cases.empty() ? "" : " --cases " + options.cases, fmt::join(names_of(experiment.variants), " "));
  }
  return cases;
}

void shuffle_cases(std::vector<Case>& cases, std::uint64_t seed) {
  const auto draw = [seed](Drawn what, std::uint64_t number) {
    return random_bits(seed, static_cast<std::uint32_t>(what), number);
  };
  struct Drawing {
    std::array<std::uint32_t, 4> place;
    std::size_t at;
  };
  const std::vector<std::uint32_t> devices = numbers_of_devices(cases);
  std::vector<Drawing> order;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    const Case& one = cases[at];
    order.push_back(
        {{draw(Drawn::kDevice, devices[at]), devices[at], draw(Drawn::kFetch, one.l2_fetch_bytes), draw(Drawn::kCase, at)},
         at});
  }
  std::stable_sort(order.begin(), order.end(), [](const Drawing& a, const Drawing& b) { return a.place < b.place; });
  std::vector<Case> shuffled;
  shuffled.reserve(cases.size());
  for (const Drawing& one : order) shuffled.push_back(std::move(cases[one.at]));
  cases = std::move(shuffled);
}

void keep_sides(std::vector<Case>& cases, const std::function<bool(const Case&, const Side&)>& wanted) {
  for (Case& one : cases) std::erase_if(one.sides, [&](const Side& side) { return !wanted(one, side); });
  std::erase_if(cases, [](const Case& one) { return one.sides.empty(); });
}

Values keys(const Case& the_case, const Side& side) {
  Values values = {{"variant", side.variant},
                   {"api", to_string(side.api)},
                   {"elements", the_case.elements},
                   {"cache", to_string(the_case.cache)}};
  return values.set(side.params);
}

std::string benchmark_name(const Experiment& experiment, const Case& the_case, const Side& side) {
  return fmt::format("{}/{}", case_name(experiment, the_case, side), to_string(side.api));
}

std::string case_name(const Experiment& experiment, const Case& the_case, const Side& side) {
  return name_of(experiment, the_case, side, [](const Column&) { return true; }) +
         fmt::format("/{}", to_string(the_case.cache));
}

std::string output_name(const Experiment& experiment, const Case& the_case, const Side& side) {
  return name_of(experiment, the_case, side,
                 [](const Column& param) { return param.name != kMemoryParam && param.name != kChecksParam; });
}

}  // namespace bench
