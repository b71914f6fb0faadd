#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "core/environment.h"
#include "core/error.h"
#include "core/experiment.h"
#include "core/isa_dump.h"
#include "core/machine_code.h"
#include "core/nvml.h"
#include "core/options.h"
#include "core/result_file.h"
#include "core/selection.h"

namespace bench {
namespace {

enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2, kAllSkipped = 77, kInterruptedBySignal = 130 };

volatile std::sig_atomic_t g_interrupted = 0;
void on_signal(int /*signal*/) { g_interrupted = 1; }

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void say(const std::string& line) { std::cerr << line << std::endl; }

// A software device has no L2 to evict: a small sweep keeps the same path alive.
constexpr std::uint64_t kCpuL2Bytes = 1ULL << 20;
// Where the API does not tell (Vulkan alone): larger than any L2 short of a Blackwell's, so that cold stays cold.
constexpr std::uint64_t kUnknownL2Bytes = 64ULL << 20;
// Default ceiling of one buffer; a case uses up to three per API.
constexpr std::uint64_t kGpuBufferBytes = 2ULL << 30;
constexpr std::uint64_t kCpuBufferBytes = 4ULL << 20;
constexpr std::uint64_t kBuffersInUse = 8;
// nvbench's rule: below three quarters of the highest SM clock a sample says little about the kernel.
constexpr double kThrottledPart = 0.75;

// One API's device, opened, with what belongs to it.
struct OpenDevice {
  DeviceInfo info;
  std::string unavailable;  // why `device` is null
  std::unique_ptr<Device> device;
  std::unique_ptr<Workbench> workbench;
  double stamp_cost_ns = 0;
  double evict_s = 0;  // one sweep of the L2 evictor
  bool can_evict = false;
  QueueKind queue = QueueKind::kCompute;
};

struct SideRow {
  std::string status;  // ok, failed, skipped
  std::string reason;
  std::optional<Summary> device_ns;
  std::string isa_hash = {};  // of the kernel that was timed
  double gbps = 0;
  double batch = 1;
  std::vector<std::string> measured = {};
};

class Program {
 public:
  Program(const Experiment& experiment, Options options, std::vector<std::unique_ptr<Backend>> backends)
      : experiment_(experiment), options_(std::move(options)), backends_(std::move(backends)) {}

  int run() {
    if (options_.list_variants || options_.describe) return describe();
    list_devices();
    if (options_.list_devices) {
      std::cout << describe_devices(listed_[Api::kCuda], listed_[Api::kVulkan]);
      for (const auto& [api, reason] : unavailable_) say(fmt::format("{}: {}", to_string(api), reason));
      return kOk;
    }
    select();
    if (options_.print_slug) {
      const bool many = experiment_.gpus > 1 && listed_[Api::kCuda].size() >= experiment_.gpus;
      std::cout << (paired_info() != nullptr ? slug(paired_info()->name) : "none")
                << (many ? fmt::format("-x{}", experiment_.gpus) : "") << '\n';
      return kOk;
    }
    open_devices();
    if (!device(Api::kCuda).device && !device(Api::kVulkan).device) {
      for (const auto& [api, open] : open_) say(fmt::format("{}: {}", to_string(api), open.unavailable));
      say(fmt::format("{}: nothing can run on this machine", experiment_.name));
      return kAllSkipped;
    }
    choose_cases();
    if (!options_.dump_isa.empty()) return dump_isa();
    apply_benchmark_flags();
    if (options_.profile) return profile();
    open_results();
    register_benchmarks();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return finish();
  }

 private:
  OpenDevice& device(Api api) { return open_[api]; }

  int describe() {
    std::cout << experiment_.name << ": " << experiment_.question << "\n\n";
    for (const VariantText& variant : experiment_.variants) {
      std::cout << fmt::format("  {:<18} {}\n", variant.name, variant.text);
    }
    return kOk;
  }

  void list_devices() {
    for (const auto& backend : backends_) {
      listed_[backend->api()] = backend->list();
      if (listed_[backend->api()].empty()) unavailable_[backend->api()] = backend->unavailable_reason();
    }
  }

  void select() {
    selection_ =
        select_devices(listed_[Api::kCuda], listed_[Api::kVulkan], {options_.want_cuda, options_.want_vulkan, options_.device});
    const auto take = [&](Api api, bool wanted, const std::optional<DeviceInfo>& info) {
      OpenDevice& open = open_[api];
      if (info) {
        open.info = *info;
      } else {
        open.unavailable = !wanted                      ? fmt::format("--api left {} out", to_string(api))
                           : !unavailable_[api].empty() ? unavailable_[api]
                                                        : fmt::format("no {} device was chosen", to_string(api));
      }
    };
    take(Api::kCuda, options_.want_cuda, selection_.cuda);
    take(Api::kVulkan, options_.want_vulkan, selection_.vulkan);
  }

  // The device whose name and clocks stand for the run: CUDA's if there is one.
  const DeviceInfo* paired_info() const {
    if (selection_.cuda) return &*selection_.cuda;
    return selection_.vulkan ? &*selection_.vulkan : nullptr;
  }

  void open_devices() {
    for (const auto& backend : backends_) {
      OpenDevice& open = device(backend->api());
      if (!open.unavailable.empty() || !open_device(*backend, open)) continue;
      open.info = open.device->info();
      open.info.toolkit = backend->api() == Api::kCuda ? cuda_toolkit() : glsl_toolkit();
    }
    pair_up();
    if (paired_info() != nullptr && paired_info()->uuid && !paired_info()->is_cpu) {
      nvml_ = std::make_unique<Nvml>(*paired_info()->uuid);
      max_sm_mhz_ = nvml_->max_sm_clock_mhz();
      if (const auto driver = nvml_->driver_version()) {
        for (auto& [api, open] : open_) {
          if (!open.info.is_cpu) open.info.driver = *driver;
        }
      }
    }
    if (!selection_.unpaired_reason.empty()) say(selection_.unpaired_reason);
  }

  // The device of open.info with open.queue; false, and `unavailable` says why, if it cannot be had.
  bool open_device(Backend& backend, OpenDevice& open) {
    open.unavailable.clear();
    open.can_evict = false;
    try {
      open.device = backend.open(open.info, {.validate = options_.validate,
                                             .pipeline_robustness = experiment_.pipeline_robustness,
                                             .queue = open.queue,
                                             .labels = options_.profile,
                                             .inspect = !options_.dump_isa.empty()});
    } catch (const Skip& skip) {
      open.unavailable = skip.what();
      return false;
    }
    open.workbench = std::make_unique<Workbench>(*open.device, options_.seed);
    open.stamp_cost_ns = measure_stamp_cost(*open.device->prepare(Nothing{}, {}));
    return true;
  }

  void pair_up() {
    OpenDevice& cuda = device(Api::kCuda);
    OpenDevice& vulkan = device(Api::kVulkan);
    if (!cuda.device || !vulkan.device || !selection_.unpaired_reason.empty()) return;
    cuda.workbench->share_with(vulkan.workbench.get());
    vulkan.workbench->share_with(cuda.workbench.get());
  }

  void release_buffers() {
    for (auto& [api, open] : open_) {
      if (open.workbench) open.workbench->release_buffers();
    }
  }

  // Opens the Vulkan device anew if it has another queue. What it complained about so far is kept.
  void use_queue(QueueKind queue) {
    OpenDevice& vulkan = device(Api::kVulkan);
    if (vulkan.queue == queue || (!vulkan.device && queue != QueueKind::kCompute)) return;  // none now: there never was one
    if (vulkan.device) {
      for (const std::string& complaint : vulkan.device->complaints()) earlier_complaints_.push_back(complaint);
    }
    isa_hashes_.clear();  // by address, which a new kernel may get again
    release_buffers();
    if (device(Api::kCuda).workbench) device(Api::kCuda).workbench->share_with(nullptr);
    vulkan.workbench.reset();
    vulkan.device.reset();
    vulkan.queue = queue;
    for (const auto& backend : backends_) {
      if (backend->api() == Api::kVulkan) open_device(*backend, vulkan);
    }
    pair_up();
  }

  Plan plan() {
    Plan plan;
    plan.cpu = true;
    plan.smoke = options_.smoke || !options_.dump_isa.empty();
    plan.quick = options_.quick;
    plan.sizes = options_.sizes;
    plan.caches = options_.caches;
    plan.wished_buffer_bytes = ~0ULL;
    for (auto& [api, open] : open_) {
      if (!open.device) continue;
      plan.cpu = plan.cpu && open.info.is_cpu;
      plan.l2_bytes = std::max(plan.l2_bytes, open.info.l2_bytes);
      plan.multiprocessors = std::max(plan.multiprocessors, open.info.multiprocessors);
      plan.wished_buffer_bytes =
          std::min({plan.wished_buffer_bytes, open.info.max_buffer_bytes, open.info.memory_bytes / kBuffersInUse});
    }
    if (plan.l2_bytes == 0) plan.l2_bytes = plan.cpu ? kCpuL2Bytes : kUnknownL2Bytes;
    plan.max_buffer_bytes = std::min(plan.wished_buffer_bytes, plan.cpu ? kCpuBufferBytes : kGpuBufferBytes);
    return plan;
  }

  void choose_cases() {
    const Plan the_plan = plan();
    evict_bytes_ = 2 * the_plan.l2_bytes;
    dram_footprint_ = 4 * the_plan.l2_bytes;
    cases_ = experiment_.cases(the_plan);
    std::set<std::string> taken;  // what tells one row from another
    for (const Case& one : cases_) {
      for (const Side& side : one.sides) {
        if (const std::string name = benchmark_name(one, side); !taken.insert(name).second) {
          throw Error("two cases are called {}", name);
        }
      }
    }
    const auto& params = experiment_.params;
    const auto memory = static_cast<std::size_t>(std::find(params.begin(), params.end(), kMemoryParam) - params.begin());
    keep_sides([&](const Case&, const Side& side) {
      return wants_variant(options_, side.variant) && (memory == params.size() || wants_memory(options_, side.params[memory]));
    });
    if (cases_.empty()) {
      std::vector<std::string> names;
      for (const VariantText& variant : experiment_.variants) names.push_back(variant.name);
      throw UsageError("--variant {}{} matches nothing; there are: {}", fmt::join(options_.variants, ","),
                       options_.memory.empty() ? "" : " --memory " + options_.memory, fmt::join(names, " "));
    }
  }

  // Drops the sides that are not wanted, and the cases that have none left.
  template <class Wanted>
  void keep_sides(const Wanted& wanted) {
    for (Case& one : cases_) std::erase_if(one.sides, [&](const Side& side) { return !wanted(one, side); });
    std::erase_if(cases_, [](const Case& one) { return one.sides.empty(); });
  }

  bool only_listing() const {
    return std::any_of(options_.benchmark_args.begin(), options_.benchmark_args.end(), [](std::string_view arg) {
      return arg.starts_with("--benchmark_list_tests") && arg != "--benchmark_list_tests=false";
    });
  }

  void open_results() {
    if (options_.csv.empty() || only_listing()) return;
    const ResultFile::Format format = {options_.csv, experiment_.params, experiment_.model, experiment_.measured};
    file_ = options_.resume ? ResultFile::resume(format, {{"experiment", std::string(experiment_.name)},
                                                          {"seed", std::to_string(options_.seed)},
                                                          {"gpu_uuid", gpu_uuid()},
                                                          {"git_rev", std::string(git_revision())}})
                            : ResultFile::create(format);
  }

  std::string gpu_uuid() const {
    return paired_info() != nullptr && paired_info()->uuid ? uuid_text(*paired_info()->uuid) : "";
  }

  // exp01/add_f32/block:256/n:1024/warm/cuda
  std::string benchmark_name(const Case& c, const Side& side) const {
    return fmt::format("{}/{}", case_name(c, side), to_string(side.api));
  }

  // The same without the API: a name that both sides share.
  std::string case_name(const Case& c, const Side& side) const {
    std::string name = fmt::format("{}/{}", experiment_.name.substr(0, 5), side.variant);
    for (std::size_t i = 0; i < side.params.size(); ++i) {
      if (!side.params[i].empty()) name += fmt::format("/{}:{}", experiment_.params[i], side.params[i]);
    }
    return name + fmt::format("/n:{}/{}", c.elements, to_string(c.cache));
  }

  // Before any file is touched: a wrong flag leaves the results of an earlier run as they are.
  void apply_benchmark_flags() {
    int argc = static_cast<int>(options_.benchmark_args.size());
    benchmark::Initialize(&argc, options_.benchmark_args.data());
    if (benchmark::ReportUnrecognizedArguments(argc, options_.benchmark_args.data())) {
      throw UsageError("Google Benchmark does not know {}", options_.benchmark_args[1]);
    }
    // Its rule for the filter: a regular expression that matches anywhere in the listed name, negated by a leading '-'.
    std::string filter = benchmark::GetBenchmarkFilter();
    if (filter.empty() || filter == "all") return;
    const bool negated = filter.front() == '-';
    if (negated) filter.erase(0, 1);
    try {
      const std::regex expression(filter, std::regex::extended);
      keep_sides([&](const Case& one, const Side& side) {
        return std::regex_search(benchmark_name(one, side) + "/iterations:1/manual_time", expression) != negated;
      });
    } catch (const std::regex_error& error) {
      throw UsageError("--benchmark_filter={}: {}", benchmark::GetBenchmarkFilter(), error.what());
    }
    if (cases_.empty()) {
      throw UsageError("--benchmark_filter={} matches nothing; see --benchmark_list_tests", benchmark::GetBenchmarkFilter());
    }
  }

  void register_benchmarks() {
    add_context();
    // A side whose partner alone is finished (another filter, a row cut short) runs without it: no row is written twice.
    if (file_) keep_sides([&](const Case& one, const Side& side) { return !file_->has(row(one, side, {}, nullptr, 0)); });
    results_.resize(cases_.size());
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      for (std::size_t s = 0; s < cases_[c].sides.size(); ++s) {
        const Side& side = cases_[c].sides[s];
        // A side whose API is missing gets its CSV row with the case; only when no side can run is there an entry to report it.
        const bool runs = device(side.api).device != nullptr;
        const bool nobody = std::none_of(cases_[c].sides.begin(), cases_[c].sides.end(),
                                         [&](const Side& other) { return device(other.api).device != nullptr; });
        if (!runs && !(nobody && s == 0)) continue;
        benchmark::RegisterBenchmark(benchmark_name(cases_[c], side).c_str(),
                                     [this, c, s](benchmark::State& state) { report(c, s, state); })
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
    started_ = now_s();
  }

  void add_context() {
    benchmark::AddCustomContext("experiment", std::string(experiment_.name));
    benchmark::AddCustomContext("git_rev", std::string(git_revision()));
    benchmark::AddCustomContext("seed", std::to_string(options_.seed));
    for (const auto& [api, open] : open_) {
      benchmark::AddCustomContext(std::string(to_string(api)),
                                  open.device ? fmt::format("{}, driver {}, {}, empty stamp pair {:.2f} us", open.info.name,
                                                            open.info.driver, open.info.toolkit, open.stamp_cost_ns * 1e-3)
                                              : open.unavailable);
    }
  }

  // Google Benchmark's view of one side. The first side to be asked for runs the whole case.
  void report(std::size_t c, std::size_t s, benchmark::State& state) {
    if (g_interrupted == 0 && !results_[c]) run_case(c);
    const SideRow* result = results_[c] ? &(*results_[c])[s] : nullptr;
    if (result == nullptr) {
      state.SkipWithError("interrupted");
    } else if (result->status != "ok") {
      state.SkipWithError(fmt::format("{}: {}", result->status, result->reason).c_str());
    }
    for (auto _ : state) {
      if (result != nullptr && result->device_ns) state.SetIterationTime(result->device_ns->median * 1e-9);
    }
    if (result == nullptr || !result->device_ns) return;
    if (result->gbps > 0) state.counters["GB/s"] = result->gbps;
    state.counters["samples"] = static_cast<double>(result->device_ns->samples);
    state.counters["batch"] = result->batch;
    if (result->device_ns->ci95) {
      const double half = (result->device_ns->ci95->hi - result->device_ns->ci95->lo) / 2;
      state.counters["ci95_pct"] = 100 * half / result->device_ns->median;
    }
  }

  void run_case(std::size_t c) {
    const Case& the_case = cases_[c];
    const std::string started_at = utc_now();
    if (isatty(STDERR_FILENO) != 0) std::cerr << fmt::format("\r[{}/{}] {} ...\033[K", c + 1, cases_.size(), title(the_case));
    use_queue(the_case.queue);
    std::vector<SideRow> rows(the_case.sides.size());
    std::vector<std::optional<Prepared>> prepared(the_case.sides.size());
    for (std::size_t s = 0; s < rows.size(); ++s) prepared[s] = set_up(the_case, the_case.sides[s], rows[s]);

    SampleSet samples;
    std::vector<std::size_t> timed;  // which side each of the sampler's subjects is
    std::vector<Subject*> pointers;
    for (std::size_t s = 0; s < rows.size(); ++s) {
      if (!rows[s].status.empty()) continue;
      timed.push_back(s);
      pointers.push_back(prepared[s]->subject.get());
    }
    if (!pointers.empty()) {
      try {
        if (the_case.cache == Cache::kCold) prepare_eviction();
        samples = sample(pointers, sampler_options(the_case));
        for (std::size_t i = 0; i < timed.size(); ++i) {
          fill_in(the_case, samples, static_cast<std::uint32_t>(i), rows[timed[i]]);
          rows[timed[i]].isa_hash = isa_hash_of(pointers[i]->kernel());
        }
      } catch (const Interrupted&) {
        return;  // the case in hand is lost, and nothing else
      } catch (const Error& error) {
        for (const std::size_t s : timed) rows[s] = {.status = "failed", .reason = error.what(), .device_ns = {}};
      }
    }
    for (const std::size_t s : timed) measure(*prepared[s], rows[s]);
    if (out_of_memory_) {  // not before now: the partner's subject was still using its buffers
      prepared.clear();
      release_buffers();
      out_of_memory_ = false;
    }
    gpu_s_ += samples.timed_s;
    for (const Sample& one : samples.samples) {
      if (the_case.cache == Cache::kCold && one.device_ns) gpu_s_ += device(the_case.sides[timed[one.side]].api).evict_s;
    }
    discarded_ += samples.discarded;
    write(the_case, rows, samples, timed, started_at);
    progress(c, rows, samples);
    results_[c] = std::move(rows);
  }

  // Allocates, fills, runs once, verifies; leaves the row's status empty if the side is ready to be timed.
  std::optional<Prepared> set_up(const Case& the_case, const Side& side, SideRow& result) {
    OpenDevice& open = device(side.api);
    if (!open.device) {
      result = {.status = "skipped", .reason = open.unavailable, .device_ns = {}};
      return {};
    }
    try {
      open.device->set_l2_fetch_bytes(the_case.l2_fetch_bytes);
      return side.set_up(*open.workbench);
    } catch (const Skip& skip) {
      result = {.status = "skipped", .reason = skip.what(), .device_ns = {}};
    } catch (const OutOfMemory& error) {
      result = {.status = "failed", .reason = error.what(), .device_ns = {}};
      out_of_memory_ = true;
    } catch (const Error& error) {
      result = {.status = "failed", .reason = error.what(), .device_ns = {}};
    }
    return {};
  }

  // What the side itself counted or reads back, once its times are taken.
  void measure(const Prepared& prepared, SideRow& result) const {
    if (result.status != "ok" || !prepared.measure) return;
    try {
      result.measured = prepared.measure();
      if (result.measured.size() != experiment_.measured.size()) {
        throw Error("{} measured values for {} columns", result.measured.size(), experiment_.measured.size());
      }
    } catch (const Error& error) {
      result = {.status = "failed", .reason = error.what(), .device_ns = {}};
    }
  }

  // Asked of the driver once a kernel, between two cases.
  const std::string& isa_hash_of(const Kernel* kernel) {
    const auto [found, is_new] = isa_hashes_.try_emplace(kernel);
    if (is_new && kernel != nullptr) found->second = isa_hash(kernel->code().code);
    return found->second;
  }

  // Sets every case up as for timing, so that its kernels are loaded (and right), and writes down their code.
  int dump_isa() {
    IsaDump dump(options_.dump_isa, experiment_.name);
    for (const Case& one : cases_) {
      for (const Side& side : one.sides) {
        SideRow result;
        if (device(side.api).device && g_interrupted == 0) set_up(one, side, result);
        if (result.status == "failed") {
          say(fmt::format("{}: {}", benchmark_name(one, side), result.reason));
          ++counts_[result.status];
        }
      }
    }
    if (g_interrupted != 0) return kInterruptedBySignal;
    std::size_t with_code = 0;
    std::map<std::string, std::set<std::string>> reasons;  // and the kernels they are said of
    for (const auto& [api, open] : open_) {
      if (!open.workbench) continue;
      for (const auto& [key, asked] : open.workbench->kernels()) {
        KernelCode code;
        if (asked.kernel) {
          code = asked.kernel->code();
        } else {
          code.reason = asked.reason;
        }
        if (code.arch.empty()) code.arch = arch_of(open.info);
        if (!code.reason.empty()) reasons[code.reason].insert(fmt::format("{} ({})", asked.spec.entry, to_string(api)));
        if (!code.code.empty() || !code.text.empty()) ++with_code;
        dump.add(api, asked.spec, code);
      }
    }
    dump.finish(paired_info()->name, device(paired_info()->api).info.driver);
    for (const auto& [reason, kernels] : reasons) say(fmt::format("{}: {}", fmt::join(kernels, ", "), reason));
    say(fmt::format("{}: the code of {} kernels is in {}", experiment_.name, with_code, options_.dump_isa));
    return counts_["failed"] != 0 || complained() ? kFailed : kOk;
  }

  // Every case's kernel once, alone in a range of the case's name. Whoever profiles sets its own caches and clocks.
  int profile() {
    for (const Case& one : cases_) {
      use_queue(one.queue);
      for (const Side& side : one.sides) {
        if (g_interrupted != 0) return kInterruptedBySignal;
        OpenDevice& open = device(side.api);
        SideRow result;
        std::optional<Prepared> prepared = set_up(one, side, result);
        if (prepared) {
          const auto range = open.device->profile(case_name(one, side));
          prepared->subject->time_host(1);
          result.status = "ok";
        } else if (result.status == "failed") {
          say(fmt::format("{}: {}", benchmark_name(one, side), result.reason));
        }
        ++counts_[result.status];
        prepared.reset();
        if (std::exchange(out_of_memory_, false)) release_buffers();
      }
    }
    say(fmt::format("{}: {} kernels run for a profiler, {} failed, {} skipped", experiment_.name, counts_["ok"],
                    counts_["failed"], counts_["skipped"]));
    if (counts_["failed"] != 0 || complained()) return kFailed;
    return counts_["ok"] == 0 ? kAllSkipped : kOk;
  }

  // The architecture that CUDA names for the same GPU, opened or not.
  std::string arch_of(const DeviceInfo& info) {
    for (const DeviceInfo& listed : listed_[Api::kCuda]) {
      if (info.uuid && listed.uuid == info.uuid) return listed.arch;
    }
    return "";
  }

  void prepare_eviction() {
    for (auto& [api, open] : open_) {
      if (!open.device || open.can_evict) continue;
      open.device->set_evict_bytes(evict_bytes_);
      open.can_evict = true;
      // One sweep's time, for the account of how busy the GPU was kept: an empty sample with it, less one without.
      const auto nothing = open.device->prepare(Nothing{}, {});
      const auto wall_s = [&](bool evict) {
        nothing->time_device({.batch = 1, .lead_in = 0, .evict_l2 = evict});
        const double start = now_s();
        nothing->time_device({.batch = 1, .lead_in = 0, .evict_l2 = evict});
        return now_s() - start;
      };
      open.evict_s = std::max(0.0, wall_s(true) - wall_s(false));
    }
  }

  SamplerOptions sampler_options(const Case& the_case) {
    SamplerOptions sampler;
    sampler.cache = the_case.cache;
    sampler.fixed_batch = the_case.fixed_batch;
    for (const auto& [api, open] : open_) sampler.stamp_cost_ns = std::max(sampler.stamp_cost_ns, open.stamp_cost_ns);
    sampler.budget_s = options_.case_budget_s() * the_case.budget_part;
    sampler.min_timed_s = sampler.budget_s / 5;
    sampler.host_samples = options_.smoke ? 1 : the_case.host_samples;
    if (options_.smoke) sampler.max_samples = sampler.min_samples;
    sampler.seed = options_.seed;
    sampler.interrupted = [] { return g_interrupted != 0; };
    if (nvml_) {
      sampler.read_clock = [this] {
        ClockReading reading;
        reading.sm_mhz = nvml_->sm_clock_mhz();
        reading.throttled = (reading.sm_mhz && max_sm_mhz_ && *reading.sm_mhz < kThrottledPart * *max_sm_mhz_) ||
                            is_throttled(nvml_->throttle_reasons().value_or(0));
        return reading;
      };
    }
    return sampler;
  }

  void fill_in(const Case& the_case, const SampleSet& samples, std::uint32_t index, SideRow& result) const {
    result.status = "ok";
    result.reason = selection_.unpaired_reason;
    result.device_ns = summarize(samples.device_ns(index));
    result.batch = samples.batch;
    if (the_case.useful_bytes != 0) result.gbps = static_cast<double>(the_case.useful_bytes) / result.device_ns->median;
  }

  // One CSV row. `samples` may be null: then only the columns that are known beforehand are filled (enough for its key).
  CsvRow row(const Case& the_case, const Side& side, const SideRow& result, const SampleSet* samples, std::uint32_t index,
             const std::string& started_at = "") {
    const OpenDevice& open = device(side.api);
    const DeviceInfo* named = open.device ? &open.info : paired_info();
    CsvRow cells = {kCsvSchema,   std::string(experiment_.name), side.variant, std::string(to_string(side.api)), result.status,
                    result.reason};
    cells.insert(cells.end(), side.params.begin(), side.params.end());
    std::vector<std::string> model = the_case.model;
    model.resize(experiment_.model.size());
    cells.insert(cells.end(), model.begin(), model.end());
    cells.push_back(std::to_string(the_case.elements));
    cells.push_back(the_case.useful_bytes == 0 ? "" : std::to_string(the_case.useful_bytes));
    cells.emplace_back(to_string(the_case.cache));
    const auto optional = [](const std::optional<double>& value) { return value ? csv_number(*value) : std::string(); };
    if (samples != nullptr && result.device_ns) {
      const Summary& time = *result.device_ns;
      const bool has_peak = result.gbps > 0 && peak_gbps() > 0 && the_case.footprint_bytes >= dram_footprint_;
      for (const std::string& cell :
           {std::to_string(samples->batch), std::to_string(time.samples), csv_number(time.median),
            time.ci95 ? csv_number(time.ci95->lo) : "", time.ci95 ? csv_number(time.ci95->hi) : "", csv_number(time.min),
            csv_number(time.p05), csv_number(time.p95), optional(samples->median_of(index, &Sample::roundtrip_ns)),
            optional(samples->median_of(index, &Sample::submit_ns)), result.gbps > 0 ? csv_number(result.gbps) : "",
            has_peak ? csv_number(100 * result.gbps / peak_gbps()) : ""}) {
        cells.push_back(cell);
      }
      cells.insert(cells.end(), result.measured.begin(), result.measured.end());
      cells.resize(cells.size() + experiment_.measured.size() - result.measured.size());
      cells.push_back(optional(samples->median_of(index, &Sample::sm_mhz)));
      cells.push_back(samples->stop);
      cells.push_back(samples->order);
    } else {
      cells.insert(cells.end(), 15 + experiment_.measured.size(), "");
    }
    cells.push_back(std::to_string(options_.seed));
    cells.push_back(result.isa_hash);
    cells.push_back(named != nullptr ? named->name : "");
    cells.push_back(gpu_uuid());
    cells.push_back(open.info.driver);
    cells.push_back(open.info.toolkit);
    cells.emplace_back(git_revision());
    cells.push_back(started_at);
    return cells;
  }

  double peak_gbps() const { return selection_.cuda ? selection_.cuda->peak_gbps : 0; }

  void write(const Case& the_case, const std::vector<SideRow>& results, const SampleSet& samples,
             const std::vector<std::size_t>& timed, const std::string& started_at) {
    for (const SideRow& result : results) ++counts_[result.status];
    if (!file_) return;
    std::vector<CsvRow> sample_rows;
    for (const Sample& one : samples.samples) {
      const Side& side = the_case.sides[timed[one.side]];
      CsvRow cells = {kCsvSchema, std::string(experiment_.name), side.variant, std::string(to_string(side.api))};
      cells.insert(cells.end(), side.params.begin(), side.params.end());
      cells.push_back(std::to_string(the_case.elements));
      cells.emplace_back(to_string(the_case.cache));
      cells.push_back(std::to_string(samples.batch));
      cells.push_back(std::to_string(one.position));
      for (const auto& figure : {one.device_ns, one.roundtrip_ns, one.submit_ns, one.sm_mhz}) {
        cells.push_back(figure ? csv_number(*figure) : "");
      }
      sample_rows.push_back(std::move(cells));
    }
    std::vector<CsvRow> rows;
    for (std::size_t s = 0; s < results.size(); ++s) {
      const auto index = std::find(timed.begin(), timed.end(), s);
      rows.push_back(row(the_case, the_case.sides[s], results[s], index == timed.end() ? nullptr : &samples,
                         static_cast<std::uint32_t>(index - timed.begin()), started_at));
    }
    file_->append(sample_rows, rows);
  }

  std::string title(const Case& the_case) const {
    std::string name = benchmark_name(the_case, the_case.sides.front());
    return name.substr(0, name.rfind('/'));
  }

  void progress(std::size_t c, const std::vector<SideRow>& results, const SampleSet& samples) {
    const Case& the_case = cases_[c];
    std::string line = fmt::format("[{}/{}] {}", c + 1, cases_.size(), title(the_case));
    for (std::size_t s = 0; s < results.size(); ++s) {
      line += fmt::format("  {} ", to_string(the_case.sides[s].api));
      if (!results[s].device_ns) {
        line += results[s].status;
        if (results[s].status == "failed") line += fmt::format(" ({})", results[s].reason);
        continue;
      }
      line += fmt::format("{:.3f} us", results[s].device_ns->median * 1e-3);
      if (results[s].gbps > 0) line += fmt::format(" {:.0f} GB/s", results[s].gbps);
    }
    if (results.size() == 2 && results[0].device_ns && results[1].device_ns) {
      const std::optional<Ratio> time_ratio = ratio(*results[1].device_ns, *results[0].device_ns);
      if (time_ratio) {
        line += fmt::format("  ratio {:.4f} [{:.4f}, {:.4f}] {}", time_ratio->value, time_ratio->lo, time_ratio->hi,
                            to_string(verdict(time_ratio)));
      }
    }
    if (!samples.stop.empty()) line += fmt::format("  ({})", samples.stop);
    const double elapsed = now_s() - started_;
    const auto left = static_cast<int>(elapsed / static_cast<double>(c + 1) * static_cast<double>(cases_.size() - c - 1));
    line += fmt::format("  {}:{:02} left", left / 60, left % 60);
    say(isatty(STDERR_FILENO) != 0 ? "\r" + line + "\033[K" : line);
  }

  // Says what the devices complained about; true if they did.
  bool complained() {
    std::vector<std::string> complaints = earlier_complaints_;
    for (const auto& [api, open] : open_) {
      if (!open.device) continue;
      for (const std::string& complaint : open.device->complaints()) complaints.push_back(complaint);
    }
    for (const std::string& complaint : complaints) say(complaint);
    return !complaints.empty();
  }

  int finish() {
    const bool has_complaints = complained();
    if (g_interrupted != 0) {
      say(options_.csv.empty() ? "interrupted" : "interrupted: --resume goes on with the unfinished cases");
      return kInterruptedBySignal;
    }
    if (only_listing()) return kOk;
    const double elapsed = now_s() - started_;
    say(
        fmt::format("{}: {} rows ok, {} failed, {} skipped in {:.1f} s ({:.0f} % of it timed or eviction work on the GPU, {} "
                    "throttled samples retaken)",
                    experiment_.name, counts_["ok"], counts_["failed"], counts_["skipped"], elapsed,
                    elapsed > 0 ? 100 * gpu_s_ / elapsed : 0, discarded_));
    if (counts_["failed"] != 0 || has_complaints) return kFailed;
    if (counts_["ok"] == 0 && counts_["skipped"] != 0) return kAllSkipped;
    return kOk;
  }

  const Experiment& experiment_;
  Options options_;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<Api, std::vector<DeviceInfo>> listed_;
  std::map<Api, std::string> unavailable_;
  Selection selection_;
  std::map<Api, OpenDevice> open_;
  std::unique_ptr<Nvml> nvml_;
  std::optional<std::uint32_t> max_sm_mhz_;
  std::uint64_t evict_bytes_ = 0;
  std::uint64_t dram_footprint_ = 0;
  std::vector<std::string> earlier_complaints_;  // of devices that are closed
  bool out_of_memory_ = false;                   // a side of the case in hand found no room
  std::vector<Case> cases_;
  std::vector<std::optional<std::vector<SideRow>>> results_;
  std::optional<ResultFile> file_;
  std::map<std::string, std::size_t> counts_;
  std::map<const Kernel*, std::string> isa_hashes_;
  double started_ = 0;
  double gpu_s_ = 0;
  std::size_t discarded_ = 0;
};

}  // namespace

int run_main(int argc, char** argv, const Experiment& experiment, std::vector<std::unique_ptr<Backend>> backends) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  try {
    Options options;
    if (!parse_options(argc, argv, experiment, options)) return kOk;
    return Program(experiment, std::move(options), std::move(backends)).run();
  } catch (const UsageError& error) {
    std::cerr << experiment.name << ": " << error.what() << '\n';
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << experiment.name << ": " << error.what() << '\n';
    return kFailed;
  }
}

}  // namespace bench
