#include "core/run/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <utility>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/results/result_file.h"

namespace bench {

std::uint64_t parse_size(std::string_view text) {
  std::string_view digits = text;
  std::uint32_t shift = 0;
  const bool is_power = digits.starts_with("2^");
  if (is_power) digits.remove_prefix(2);
  constexpr std::pair<std::string_view, std::uint32_t> kSuffixes[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}};
  for (const auto& [suffix, log2] : kSuffixes) {
    if (!is_power && digits.ends_with(suffix)) {
      digits.remove_suffix(suffix.size());
      shift = log2;
    }
  }
  const auto value = parse_number<std::uint64_t>(digits);
  if (!value || *value > (is_power ? 62 : (1ULL << 62) >> shift)) {
    throw UsageError("--size {}: expected a number of elements such as 4096, 4Ki, 4Mi, 1Gi or 2^22", text);
  }
  const std::uint64_t elements = is_power ? 1ULL << *value : *value << shift;
  if (elements == 0) throw UsageError("--size {}: a case needs at least one element", text);
  return elements;
}

namespace {

// Of options whose value is a name. What looks like an option is one, and the name before it is missing.
std::string complain_of_name(const std::string& text) {
  if (text.empty()) return "expected a name, found none";
  return text.starts_with("--") ? fmt::format("expected a name, found the option {}", text) : "";
}

double parse_seconds(std::string_view option, const std::string& text) {
  const auto seconds = parse_number<double>(text);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0) {
    throw UsageError("{} {}: expected seconds, a number above 0 such as 0.5", option, text);
  }
  return *seconds;
}

double parse_part(std::string_view option, const std::string& text) {
  const auto part = parse_number<double>(text);
  if (!part || !(*part >= 0 && *part <= 1)) throw UsageError("{} {}: expected a number from 0 to 1 such as 0.75", option, text);
  return *part;
}

std::uint64_t parse_seed(std::string_view option, const std::string& text) {
  const auto seed = parse_number<std::uint64_t>(text);
  if (!seed) throw UsageError("{} {}: expected a whole number from 0 to {}", option, text, ~std::uint64_t{0});
  return *seed;
}

// A name's file, whether it is there or not; its symbolic links followed.
std::filesystem::path place_of(const std::string& name) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::weakly_canonical(std::filesystem::absolute(name), error);
  for (int links = 0; links < 40 && std::filesystem::is_symlink(place, error); ++links) {  // dangling
    place = std::filesystem::weakly_canonical(place.parent_path() / std::filesystem::read_symlink(place, error), error);
  }
  return place;
}

// What is written for one option would take the place of another's.
void check_outputs_differ(const Options& options) {
  std::vector<std::pair<std::string, std::filesystem::path>> outputs;
  const auto add = [&](std::string_view option, const std::string& name, const std::filesystem::path& place) {
    const auto same = std::find_if(outputs.begin(), outputs.end(), [&](const auto& one) {
      std::error_code error;
      return one.second == place || std::filesystem::equivalent(one.second, place, error);
    });
    if (same != outputs.end()) throw UsageError("{} {}: {} writes that file", option, name, same->first);
    outputs.emplace_back(option, place);
  };
  if (!options.csv.empty()) {
    const std::filesystem::path rows = place_of(options.csv);
    add("--csv", options.csv, rows);
    add("--csv", options.csv, place_of(samples_path(rows.string())));
    add("--csv", options.csv, place_of(schema_path(rows.string())));
  }
  if (!options.checksums.empty()) add("--checksums", options.checksums, place_of(options.checksums));
  if (!options.count.empty()) add("--count", options.count, place_of(options.count));
  if (!options.benchmark.out.empty()) add("--benchmark_out", options.benchmark.out, place_of(options.benchmark.out));
}

// Each once, in the order given.
std::vector<std::uint64_t> parse_sizes(const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : texts) {
    const std::uint64_t size = parse_size(text);
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

bool means_variant(std::string_view wish, std::string_view name) {
  return wish.ends_with('*') ? name.starts_with(wish.substr(0, wish.size() - 1)) : name == wish;
}

bool wants_variant(const Options& options, std::string_view name) {
  if (options.variants.empty()) return true;
  return std::any_of(options.variants.begin(), options.variants.end(),
                     [&](std::string_view wish) { return means_variant(wish, name); });
}

bool wants_memory(const Options& options, std::string_view memory) {
  return options.memory.empty() || memory.starts_with("from_") == (options.memory == "shared");
}

bool parse_options(int argc, char** argv, const Experiment& experiment, std::span<const Api> apis, Options& options) {
  CLI::App app{fmt::format("{}\n{}", experiment.name, experiment.question)};
  std::vector<std::string> choices = {"both"};
  for (const Api& api : apis) choices.emplace_back(to_string(api));
  std::vector<std::string> sizes;
  std::string cache = "auto";
  std::string budget;
  std::string timeout;
  std::string throttled;
  std::string seed = "1";
  std::string input_seed = "1";
  const CLI::Validator is_name(complain_of_name, "");
  app.add_option("--api", options.api, "Which APIs to run")->check(CLI::IsMember(choices))->capture_default_str();
  app.add_option("--device", options.device, "Which GPU: an index, a UUID or part of a name")->check(is_name);
  app.add_flag("--list-devices", options.list_devices, "Show both APIs' devices side by side and stop");
  CLI::Option* size = app.add_option("--size", sizes, "Sizes in elements, e.g. 4096, 4Mi, 2^28 (repeatable)")->delimiter(',');
  if (!experiment.takes_size) size->group("");  // not in --help
  app.add_option("--variant", options.variants, "Only these variants; 'add*' matches a beginning (repeatable)")
      ->delimiter(',')
      ->check(is_name);
  app.add_flag("--list-variants", options.list_variants, "Show the variants and stop");
  app.add_option("--cache", cache, "L2 before a launch; auto: cold for DRAM-size footprints, warm below")
      ->check(CLI::IsMember({"auto", "cold", "warm", "both"}))
      ->capture_default_str();
  const bool has_memory = std::any_of(experiment.params.begin(), experiment.params.end(),
                                      [](const Column& one) { return one.name == kMemoryParam; });
  if (has_memory) {
    app.add_option("--memory", options.memory, "Only cases where each API has memory of its own, or where both share pages")
        ->check(CLI::IsMember({"own", "shared"}));
  }
  app.add_option("--budget", budget, "Seconds of sampling per case (default 0.5; 0.04 with --quick)");
  app.add_option("--timeout", timeout,
                 "Seconds that a wait for the GPU may take before it counts as lost (default 20, and more for large work)");
  app.add_option("--throttled-below", throttled,
                 "Part of the clock under load below which a sample is taken again, from 0 (none is) to 1 (default 0.75; 0 "
                 "where power is what is measured)");
  app.add_option("--seed", seed, "Seed of the samples' order, and of the cases' with --shuffle")->capture_default_str();
  app.add_flag("--shuffle", options.shuffle, "Run the cases in an order drawn from --seed");
  app.add_option("--input-seed", input_seed, "Seed of the input")->capture_default_str();
  app.add_option("--cases", options.cases,
                 "Only the cases that this CSV has rows of: a result file, or a list with the columns that tell rows apart")
      ->check(is_name);
  app.add_option("--checksums", options.checksums,
                 "Outputs whose checksums are in this file are verified by these, all others in full, and theirs noted there")
      ->check(is_name);
  app.add_option("--csv", options.csv, "Write the results here, and every sample to <name>.samples.csv beside it")
      ->check(is_name);
  app.add_flag("--resume", options.resume, "Keep the finished rows of --csv and run the rest");
  app.add_flag("--replace", options.replace, "Measure anew what is in --csv: without this option, no measured row is deleted");
  app.add_flag("--quick", options.quick, "A coarse sweep with short budgets");
  app.add_flag("--smoke", options.smoke, "Every variant once at its smallest size: a test, no figures worth keeping");
  app.add_flag("--validate", options.validate,
               "Vulkan validation layer with synchronization checks; any message fails the run");
  app.add_option("--dump-isa", options.dump_isa, "Write both APIs' machine code of every kernel into this folder and stop")
      ->check(is_name);
  app.add_flag("--compile-only", options.compile_only,
               "With --dump-isa: run no Vulkan kernel, as where there is a driver and no GPU");
  app.add_option("--subgroup-size", options.subgroup_size,
                 "With --dump-isa: compile Vulkan's kernels for subgroups of so many (default 32 where a driver has it)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--profile", options.profile,
               "Run each case's kernel once, as a range of its name for profilers (NVTX, debug-utils labels), and stop");
  app.add_option("--count", options.count,
                 "Count each case's traffic with the GPU's own counters, both APIs, into this CSV, and stop")
      ->check(is_name);
  app.add_flag("--describe", options.describe, "Say what is measured and stop");
  app.add_flag("--print-slug", options.print_slug, "Print the device's name as results/ spells it and stop");
  app.add_flag("--print-board", options.print_board, "Print the first eight digits of the device's UUID and stop");
  app.footer(
      "Google Benchmark's flags work too: --benchmark_filter=REGEX, --benchmark_list_tests, --benchmark_out=FILE, ...\n"
      "Exit codes: 0 all ran, 1 something failed, 2 usage, 3 the GPU was lost, 77 everything was skipped, 130 interrupted.");

  std::vector<std::string> own(argv + 1, argv + argc);
  options.benchmark = take_benchmark_flags(own);
  std::reverse(own.begin(), own.end());  // CLI11 takes a vector from the back
  try {
    app.parse(own);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError("{} (see --help)", error.what());
  }
  if (!sizes.empty() && !experiment.takes_size) {
    throw UsageError("--size: the cases of {} have sizes of their own; leave it out", experiment.name);
  }
  options.sizes = parse_sizes(sizes);
  if (!budget.empty()) options.budget_s = parse_seconds("--budget", budget);
  if (!timeout.empty()) options.timeout_s = parse_seconds("--timeout", timeout);
  if (experiment.power_bound) options.throttled_part = 0;
  if (!throttled.empty()) options.throttled_part = parse_part("--throttled-below", throttled);
  options.seed = parse_seed("--seed", seed);
  options.input_seed = parse_seed("--input-seed", input_seed);
  if (cache == "cold" || cache == "both") options.caches.push_back(Cache::kCold);
  if (cache == "warm" || cache == "both") options.caches.push_back(Cache::kWarm);
  if (!options.dump_isa.empty() && (!options.csv.empty() || options.benchmark.any)) {
    throw UsageError("--dump-isa times nothing: it goes with --variant, and without --csv and --benchmark_*");
  }
  if ((options.compile_only || options.subgroup_size != 0) && options.dump_isa.empty()) {
    throw UsageError("--compile-only and --subgroup-size go with --dump-isa alone");
  }
  if (options.profile && (!options.csv.empty() || !options.dump_isa.empty())) {
    throw UsageError("--profile times nothing: it goes without --csv and --dump-isa");
  }
  if (!options.count.empty() &&
      (!options.csv.empty() || !options.dump_isa.empty() || options.profile || options.benchmark.any)) {
    throw UsageError("--count times nothing: it goes without --csv, --dump-isa, --profile and --benchmark_*");
  }
  if (options.resume && options.csv.empty()) throw UsageError("--resume needs --csv: the file to go on with");
  if (options.replace && (options.csv.empty() || options.resume)) {
    throw UsageError("--replace needs --csv, the file to measure anew, and goes without --resume");
  }
  check_outputs_differ(options);
  return true;
}

}  // namespace bench
