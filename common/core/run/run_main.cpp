#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/durable_file.h"
#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "core/device/gpu_claim.h"
#include "core/device/selection.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verified_outputs.h"
#include "core/results/schema.h"
#include "core/run/benchmark_run.h"
#include "core/run/case_list.h"
#include "core/run/case_runner.h"
#include "core/run/counting.h"
#include "core/run/open_devices.h"
#include "core/run/options.h"
#include "core/run/result_writer.h"
#include "core/run/untimed_run.h"

namespace bench {
namespace {

constexpr std::size_t kBoardDigits = 8;  // of a UUID: enough to tell boards apart, before its first hyphen
constexpr double kProfiledWaitS = 3600;

void print_variants(const Experiment& experiment) {
  std::cout << experiment.name << ": " << experiment.question << "\n\n";
  for (const VariantText& variant : experiment.variants) {
    std::cout << fmt::format("  {:<18} {}\n", variant.name, variant.text);
  }
}

void print_columns(const Experiment& experiment) {
  const Schema schema = schema_of(experiment);
  std::cout << "\ncolumns of --csv, X [lo, hi] for X, X_lo and X_hi\n\n";
  for (const Column& column : schema.results.columns()) {
    const std::string name = column.name + (column.has_interval ? " [lo, hi]" : "");
    std::cout << fmt::format("  {:<26} {:<8} {:<7} {:<8} {}\n", name, to_string(column.role), to_string(column.type),
                             column.unit, column.meaning);
  }
}

void print_devices(const DeviceList& listed) {
  std::cout << describe_devices(listed);
  for (const auto& [api, listing] : listed.of) {
    if (listing.devices.empty()) say(fmt::format("{}: {}", to_string(api), listing.reason));
  }
}

// A software device's begins with software-, by which the scripts tell it. Where GPUs of one name are of two models, their
// numbers in PCI follow. An experiment on several GPUs counts those of the first API, which alone takes one to another.
std::string slug_of(const DeviceInfo& device, const DeviceList& listed) {
  // What stands in brackets is the version of a software device's compiler.
  if (device.is_cpu) return "software-" + slug(device.name.substr(0, device.name.find('(')));
  std::set<std::uint32_t> models;  // of this name
  std::uint32_t own = device.device_id;
  for (const auto& [api, listing] : listed.of) {
    for (const DeviceInfo& other : listing.devices) {
      if (other.uuid && other.uuid == device.uuid && own == 0) own = other.device_id;
      if (other.name == device.name && other.device_id != 0) models.insert(other.device_id);
    }
  }
  return slug(device.name) + (models.size() > 1 ? fmt::format("-{:04x}-{:04x}", device.vendor_id, own) : "");
}

void print_slug(const Experiment& experiment, const Selection& selection, const DeviceList& listed) {
  const bool many = experiment.gpus > 1 && listed.of.begin()->second.devices.size() >= experiment.gpus;
  const DeviceInfo* const named = selection.named();
  std::cout << (named == nullptr ? "none" : slug_of(*named, listed)) << (many ? fmt::format("-x{}", experiment.gpus) : "")
            << '\n';
}

// The folder of its runs in results/<gpu>/boards.
void print_board(const Selection& selection) {
  const std::string uuid = selection.gpu_uuid();
  std::cout << (uuid.empty() ? "none" : uuid.substr(0, kBoardDigits)) << '\n';
}

OpenDevices::Settings device_settings(const Options& options) {
  return {.device = {.validate = options.validate,
                     .labels = options.profile,
                     .inspect = !options.dump_isa.empty(),
                     .compile_only = options.compile_only,
                     .subgroup_size = options.subgroup_size},
          .input_seed = options.input_seed,
          .run_seed = options.seed,
          .throttled_part = options.throttled_part};
}

// What only prints; false where cases are wanted.
bool is_answered(const Experiment& experiment, const Options& options) {
  if (!options.list_variants && !options.describe) return false;
  print_variants(experiment);
  if (options.describe) print_columns(experiment);
  return true;
}

bool is_answered(const Experiment& experiment, const Options& options, const Selection& selection, const DeviceList& listed) {
  if (options.print_slug) print_slug(experiment, selection, listed);
  if (options.print_board) print_board(selection);
  return options.print_slug || options.print_board;
}

void check_device_is_there(const Options& options, const DeviceList& listed) {
  if (options.device.empty() || !listed.empty()) return;
  std::string reasons;
  for (const auto& [api, listing] : listed.of) reasons += fmt::format("; {}: {}", api.name, listing.reason);
  throw UsageError("--device {}: there is no device{}", options.device, reasons);
}

// Before the first time is taken: what stands between the program and the driver is part of every time that the host sees.
void refuse_layers(const OpenDevices& devices) {
  for (const auto& [api, open] : devices.all()) {
    if (!open.device || open.info.layers.empty()) continue;
    throw Error(
        "{}: the layers {} are active, and their time would be part of what is measured: unset VK_INSTANCE_LAYERS, "
        "VK_LOADER_LAYERS_ENABLE "
        "and what else enables them (an overlay, a capture, vkconfig), or set VK_LOADER_LAYERS_DISABLE=~all~",
        to_string(api), fmt::join(open.info.layers, ", "));
  }
}

int nothing_runs(const Experiment& experiment, const OpenDevices& devices) {
  for (const auto& [api, open] : devices.all()) say(fmt::format("{}: {}", to_string(api), open.unavailable));
  say(fmt::format("{}: nothing can run on this machine", experiment.name));
  return kAllSkipped;
}

// Of the exception in hand: says it, and what the program ends with.
int exit_code_of_failure(const Experiment& experiment) {
  try {
    throw;
  } catch (const UsageError& error) {
    std::cerr << experiment.name << ": " << error.what() << '\n';
    return kUsage;
  } catch (const Interrupted&) {
    say("interrupted");
    return kInterruptedBySignal;
  } catch (const DeviceLost& lost) {
    std::cerr << experiment.name << ": " << lost.what() << '\n';
    return kDeviceLost;
  } catch (const std::exception& error) {
    std::cerr << experiment.name << ": " << error.what() << '\n';
    return kFailed;
  }
}

}  // namespace

int run_main(int argc, char** argv, const Experiment& experiment, std::vector<std::unique_ptr<Backend>> backends) try {
  const double started_s = now_s();
  note_signals();
  reserve_standard_descriptors();
  Options options;
  std::vector<Api> apis;
  for (const auto& backend : backends) apis.push_back(backend->api());
  if (!parse_options(argc, argv, experiment, apis, options)) return kOk;
  // A profiler repeats a kernel for each group of its counters, all of it inside one launch.
  set_timeout(options.profile ? options.timeout_s.value_or(kProfiledWaitS) : options.timeout_s);
  start_watchdog();
  if (is_answered(experiment, options)) return kOk;
  const DeviceList listed = list_devices(backends);
  if (options.list_devices) {
    print_devices(listed);
    return kOk;
  }
  check_device_is_there(options, listed);
  const SelectionWish wish = {options.api, options.device};
  const Selection selection = select_devices(listed, wish);
  if (is_answered(experiment, options, selection, listed)) return kOk;
  if (const std::string choice = describe_choice(listed, selection); options.device.empty() && !choice.empty()) say(choice);
  const bool is_timed =
      !options.smoke && !options.benchmark.list_tests && options.count.empty() && options.dump_isa.empty() && !options.profile;
  std::optional<GpuClaim> claim;
  if (is_timed && selection.named() != nullptr) claim.emplace(*selection.named());
  OpenDevices devices(std::move(backends), selection, why_left_out(listed, wish), device_settings(options));
  if (devices.none()) return nothing_runs(experiment, devices);
  const Plan plan = make_plan(options, devices);
  std::vector<Case> cases = choose_cases(experiment, options, plan);
  if (options.shuffle) shuffle_cases(cases, options.seed);
  if (!options.dump_isa.empty()) return dump_kernels(experiment, cases, options.dump_isa, listed, devices);
  // Before any file is touched: a wrong flag leaves the results of an earlier run as they are.
  if (options.count.empty()) apply_benchmark_flags(options.benchmark, experiment, cases);
  std::optional<VerifiedOutputs> verified;
  if (!options.checksums.empty()) {
    verified.emplace(options.checksums, VerifiedOutputs::Origin{.experiment = std::string(experiment.name),
                                                                .git_rev = std::string(git_revision()),
                                                                .input_seed = options.input_seed});
    devices.use_verified_outputs(&*verified);
  }
  if (!options.count.empty()) return count_cases(experiment, cases, options.count, plan.sweep_bytes, devices);
  if (options.profile) return run_for_profiler(experiment, cases, devices);
  if (is_timed) refuse_layers(devices);
  if (!options.csv.empty()) require_clock(std::time(nullptr));
  std::optional<ResultWriter> writer;
  if (!options.csv.empty() && !options.benchmark.list_tests) writer.emplace(experiment, options, plan, devices);
  CaseRunner runner(experiment, options, plan.sweep_bytes, devices);
  return BenchmarkRun(experiment, options, devices, runner, std::move(writer), started_s).run(std::move(cases));
} catch (...) {
  return exit_code_of_failure(experiment);
}

}  // namespace bench
