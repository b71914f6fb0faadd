#include "run/result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/base/parse_number.h"
#include "description/expression.h"

namespace bench::own {
namespace {

constexpr std::size_t kMostLines = 15;

double number(const std::string& text) { return parse_number<double>(text).value_or(0); }

Timed timed_of(const FileColumns& columns, const CsvRow& row) {
  Timed timed = {.status = columns.cell(row, "status"), .reason = columns.cell(row, "reason")};
  timed.time_ns.median = number(columns.cell(row, "device_ns"));
  timed.gbps = number(columns.cell(row, "gbps"));
  timed.peak_pct = number(columns.cell(row, "peak_pct"));
  const std::string& lo = columns.cell(row, "device_ns_lo");
  if (!lo.empty()) timed.time_ns.ci95 = Interval{number(lo), number(columns.cell(row, "device_ns_hi"))};
  return timed;
}

// Three digits, or all before the point: 4030, not 4.03e+03.
std::string digits(double value) { return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value); }

std::string text_of_ns(double ns) {
  if (ns >= 1e6) return digits(ns * 1e-6) + " ms";
  return digits(ns * 1e-3) + " us";
}

// How much slower `ratio` is than 1: percent below 2, a factor above.
std::string words_of(double ratio) {
  const bool slower = ratio >= 1;
  const double size = slower ? ratio : 1 / ratio;
  const char* const word = slower ? "slower" : "faster";
  if (size >= 2) return fmt::format("{:.2f}x {}", size, word);
  return fmt::format("{:.1f} % {}", 100 * (size - 1), word);
}

std::string seen_in(const Measured& one) {
  const std::optional<Ratio> ratio = one.ratio();
  if (!ratio) return "";
  const std::size_t runs = one.ratios.size();
  const auto clear = [&](std::string_view word, std::size_t in) {
    return fmt::format("{} in {} of {} processes", word, in, runs);
  };
  if (const std::size_t in = one.slower_in(); in != 0) return clear("slower", in);
  if (const std::size_t in = one.faster_in(); in != 0) return clear("faster", in);
  const bool same =
      std::ranges::all_of(one.ratios, [](const Ratio& r) { return r.lo > 1 - Measured::kSame && r.hi < 1 + Measured::kSame; });
  return same ? clear("within 1 %", runs) : "unclear";
}

// Of a pipeline, from 0: which of its launches was timed alone; none: all of them.
std::optional<std::size_t> step_of(const Measured& one, const Job& job) {
  if (one.variant == job.description.name) return {};
  return parse_number<std::size_t>(one.variant.substr(job.description.name.size() + std::string_view(".step").size()))
             .value_or(1) -
         1;
}

// "step 2 (product)", by its file; "step 2 (scan and root)", where the sides' files have other names.
std::string name_of(std::size_t step, const Job& job) {
  std::vector<std::string> names;
  for (const Side& side : job.description.sides) {
    if (step >= side.steps.size()) continue;
    std::string name = side.steps[step].file.stem().string();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return fmt::format("step {} ({})", step + 1, fmt::join(names, " and "));
}

// Without the names that have one value everywhere, where there are several.
std::string sizes_in_short(const std::string& sizes, const Job& job) {
  const std::vector<Sizes>& all = job.description.sizes;
  for (const Sizes& each : all) {
    if (text_of(each) != sizes || each.size() < 2) continue;
    Sizes varied;
    for (const auto& [name, value] : each) {
      if (std::ranges::any_of(all, [&](const Sizes& other) { return other.at(name) != value; })) varied.emplace(name, value);
    }
    return text_of(varied);
  }
  return sizes;
}

std::string case_of(const Measured& one, const Job& job) {
  std::string text;
  if (const auto step = step_of(one, job)) text = name_of(*step, job) + ", ";
  if (const std::string sizes = sizes_in_short(one.sizes, job); !sizes.empty()) text += sizes + ", ";
  return text + one.cache + (one.checks.empty() ? "" : ", checks off");
}

// What the steps of a pipeline, each timed alone, take together; 0 where one was not timed.
double sum_of_steps(const Measured& whole, std::size_t side, const std::vector<Measured>& measured, const Job& job) {
  double sum = 0;
  std::size_t count = 0;
  for (const Measured& one : measured) {
    if (!step_of(one, job) || one.sizes != whole.sizes || one.cache != whole.cache || one.checks != whole.checks) continue;
    if (one.median(side) == 0) continue;
    sum += one.median(side);
    ++count;
  }
  return count == job.description.sides[side].steps.size() ? sum : 0;
}

std::string sums_in_words(const Measured& whole, const std::vector<Measured>& measured, const Job& job) {
  std::string text;
  for (std::size_t side = 0; side < whole.sides.size(); ++side) {
    const double sum = step_of(whole, job) ? 0 : sum_of_steps(whole, side, measured, job);
    if (sum != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", job.description.sides[side].name, text_of_ns(sum));
  }
  return text.empty() ? "" : fmt::format("; the steps' sum: {}", text);
}

// `decides`: the device is a GPU; of a software device no ratio is told.
std::string line_of(const Measured& one, const Job& job, bool decides) {
  std::string line = "  " + case_of(one, job) + ": ";
  bool first = true;
  for (std::size_t side = 0; side < one.sides.size(); ++side) {
    const double ns = one.median(side);
    if (ns == 0) continue;
    line += fmt::format("{}{} {}", first ? "" : ", ", job.description.sides[side].name, text_of_ns(ns));
    const double gbps = one.gbps(side);
    if (gbps > 0) line += fmt::format(" ({} GB/s)", digits(gbps));
    first = false;
  }
  if (const std::optional<Ratio> ratio = one.ratio(); ratio && decides)
    line += fmt::format("; {} is {} (ratio {:.3f}, {:.3f} to {:.3f}): {}", job.description.sides[1].name,
                        words_of(ratio->value), ratio->value, ratio->lo, ratio->hi, seen_in(one));
  return line;
}

nlohmann::ordered_json json_of(const Measured& one, const std::vector<Measured>& measured, const Job& job, bool decides) {
  nlohmann::ordered_json result = {
      {"variant", one.variant}, {"sizes", one.sizes}, {"cache", one.cache}, {"checks", one.checks}};
  for (std::size_t side = 0; side < one.sides.size(); ++side) {
    nlohmann::ordered_json processes = nlohmann::ordered_json::array();
    for (const Timed& timed : one.sides[side]) {
      nlohmann::ordered_json entry = {{"status", timed.status}};
      if (!timed.reason.empty()) entry["reason"] = timed.reason;
      if (timed.time_ns.median > 0) entry["device_ns"] = timed.time_ns.median;
      if (timed.time_ns.ci95) entry["interval"] = {timed.time_ns.ci95->lo, timed.time_ns.ci95->hi};
      if (timed.gbps > 0) entry["gbps"] = timed.gbps;
      if (timed.peak_pct > 0) entry["peak_pct"] = timed.peak_pct;
      processes.push_back(std::move(entry));
    }
    result["sides"].push_back({{"side", job.description.sides[side].name}, {"processes", std::move(processes)}});
    const double sum = step_of(one, job) ? 0 : sum_of_steps(one, side, measured, job);
    if (sum != 0) result["sides"].back()["sum_of_steps_ns"] = sum;
  }
  if (const std::optional<Ratio> ratio = one.ratio(); ratio && decides) {
    result["ratio"] = {{"of", job.description.sides[1].name},
                       {"to", job.description.sides[0].name},
                       {"value", ratio->value},
                       {"lo", ratio->lo},
                       {"hi", ratio->hi},
                       {"seen", seen_in(one)}};
    for (const Ratio& each : one.ratios) result["ratio"]["processes"].push_back(each.value);
  }
  return result;
}

}  // namespace

double Measured::median(std::size_t side) const {
  std::vector<double> medians;
  for (const Timed& one : sides[side]) {
    if (one.time_ns.median > 0) medians.push_back(one.time_ns.median);
  }
  return medians.empty() ? 0 : bench::median(medians);
}

double Measured::gbps(std::size_t side) const {
  std::vector<double> rates;
  for (const Timed& one : sides[side]) {
    if (one.gbps > 0) rates.push_back(one.gbps);
  }
  return rates.empty() ? 0 : bench::median(rates);
}

std::optional<Ratio> Measured::ratio() const {
  if (ratios.empty()) return {};
  std::vector<double> values;
  Ratio result = ratios.front();
  for (const Ratio& one : ratios) {
    values.push_back(one.value);
    result.lo = std::min(result.lo, one.lo);
    result.hi = std::max(result.hi, one.hi);
  }
  result.value = bench::median(values);
  return result;
}

std::size_t Measured::slower_in(double by) const {
  const auto clear = static_cast<std::size_t>(std::ranges::count_if(ratios, [&](const Ratio& one) { return one.lo > 1 + by; }));
  const bool others_too = std::ranges::all_of(ratios, [](const Ratio& one) { return one.value > 1; });
  return others_too && 3 * clear >= 2 * ratios.size() ? clear : 0;
}

std::size_t Measured::faster_in(double by) const {
  const auto clear = static_cast<std::size_t>(std::ranges::count_if(ratios, [&](const Ratio& one) { return one.hi < 1 - by; }));
  const bool others_too = std::ranges::all_of(ratios, [](const Ratio& one) { return one.value < 1; });
  return others_too && 3 * clear >= 2 * ratios.size() ? clear : 0;
}

void add_rows(std::vector<Measured>& measured, const Job& job, const Schema& schema, const std::vector<CsvRow>& rows) {
  const FileColumns& columns = schema.results;
  const std::vector<Side>& sides = job.description.sides;
  std::map<std::size_t, std::vector<std::optional<Timed>>> pairs;  // of this process, by the case's place
  for (const CsvRow& row : rows) {
    if (row.size() != columns.header().size()) continue;
    const auto cell = [&](std::string_view column) { return columns.cell(row, column); };
    auto place = std::ranges::find_if(measured, [&](const Measured& one) {
      return one.variant == cell("variant") && one.sizes == cell("sizes") && one.cache == cell("cache") &&
             one.checks == cell("checks");
    });
    if (place == measured.end()) {
      measured.push_back({.variant = cell("variant"),
                          .sizes = cell("sizes"),
                          .cache = cell("cache"),
                          .checks = cell("checks"),
                          .sides = std::vector<std::vector<Timed>>(sides.size()),
                          .ratios = {}});
      place = measured.end() - 1;
    }
    const auto side = std::ranges::find(sides, cell("side"), &Side::name);
    if (side == sides.end()) continue;
    const auto number = static_cast<std::size_t>(side - sides.begin());
    const Timed timed = timed_of(columns, row);
    place->sides[number].push_back(timed);
    auto& pair = pairs[static_cast<std::size_t>(place - measured.begin())];
    pair.resize(sides.size());
    pair[number] = timed;
  }
  for (const auto& [place, pair] : pairs) {
    if (pair.size() != 2 || !pair[0] || !pair[1]) continue;
    if (const auto found = bench::ratio(pair[1]->time_ns, pair[0]->time_ns)) measured[place].ratios.push_back(*found);
  }
}

Ending ending_of(const Job& job, const std::vector<Measured>& measured, const std::vector<std::string>& faults,
                 const std::vector<std::string>& notes, const Board& device, std::uint32_t processes) {
  Ending ending;
  std::vector<std::string>& lines = ending.lines;
  std::string gpu = device.name.empty() ? "no device" : device.name;
  if (!device.driver.empty()) gpu += fmt::format(", driver {}", device.driver);
  lines.push_back(fmt::format("{} on {}, {} process{}:{}", job.description.name, gpu, processes, processes == 1 ? "" : "es",
                              device.is_software ? " a software device, whose times say nothing about GPUs" : ""));
  // What was asked about comes first: the whole launch as the driver compiles it. Processes shuffle the cases.
  std::vector<const Measured*> order;
  for (const Measured& one : measured) order.push_back(&one);
  const auto place = [&](const Measured* one) {
    const auto sizes =
        std::ranges::find_if(job.description.sizes, [&](const Sizes& each) { return text_of(each) == one->sizes; });
    const std::optional<std::size_t> step = step_of(*one, job);
    const std::size_t group = !step && one->checks.empty() ? 0 : !step ? 1 : one->checks.empty() ? 2 : 3;
    return std::tuple(group, sizes - job.description.sizes.begin(), one->cache, step);
  };
  std::ranges::stable_sort(order, std::less<>(), place);
  std::erase_if(order, [](const Measured* one) {
    return std::ranges::all_of(one->sides, [](const std::vector<Timed>& side) {
      return std::ranges::none_of(side, [](const Timed& timed) { return timed.time_ns.median > 0; });
    });
  });
  const std::size_t others = 1 + faults.size() + notes.size();
  const std::size_t room = kMostLines - std::min(kMostLines - 3, others);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 1 == room && i + 1 < order.size()) {
      lines.push_back(fmt::format("  and {} more: --csv and --json have all", order.size() - i));
      break;
    }
    lines.push_back(line_of(*order[i], job, !device.is_software) + sums_in_words(*order[i], measured, job));
  }
  for (const std::vector<std::string>* texts : {&faults, &notes}) {
    for (const std::string& text : *texts) {
      if (lines.size() == kMostLines - 1 && &text != &texts->back()) {
        lines.emplace_back("  and more: --json has all");
        break;
      }
      if (lines.size() < kMostLines) lines.push_back("  " + text);
    }
  }
  for (const Measured& one : measured) {
    if (!device.is_software && one.variant == job.description.name && one.checks.empty() && one.slower_in() != 0)
      ending.slower.push_back(case_of(one, job));
  }
  return ending;
}

std::string json_of(const Job& job, const std::vector<Measured>& measured, const std::vector<std::string>& faults,
                    const std::vector<std::string>& notes, const Board& device) {
  nlohmann::ordered_json whole = {{"schema", 1},
                                  {"name", job.description.name},
                                  {"file", job.description.file.string()},
                                  {"gpu", device.name},
                                  {"driver", device.driver},
                                  {"software", device.is_software},
                                  {"faults", faults},
                                  {"notes", notes}};
  whole["sides"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < job.description.sides.size(); ++i) {
    const Side& side = job.description.sides[i];
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const Step& step : side.steps) files.push_back(step.file.string());
    whole["sides"].push_back({{"side", side.name},
                              {"api", side.api == SideApi::kCuda ? "cuda" : "vulkan"},
                              {"files", std::move(files)},
                              {"compiled_by", job.toolkits[i]}});
  }
  whole["cases"] = nlohmann::ordered_json::array();
  for (const Measured& one : measured) whole["cases"].push_back(json_of(one, measured, job, !device.is_software));
  return whole.dump(1) + '\n';
}

}  // namespace bench::own
