#include "search.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/base/csv.h"
#include "core/base/durable_file.h"
#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/process.h"
#include "core/base/stats.h"
#include "meter.h"
#include "vulkan/device/backend.h"

namespace {

constexpr double kGlanceS = 0.05;          // how long a look for a compiled kernel takes
constexpr double kWorthMoreSamples = 1.1;  // of the best time
constexpr std::size_t kSamplesOfGood = 4;
constexpr std::uint32_t kFinalBatch = 3;
constexpr double kRoundsPart = 0.5;  // of the finalists' time, for their samples; the rest is for verification
constexpr std::size_t kMostRounds = 25;
constexpr std::size_t kKept = 16;  // kernels of the fastest, which may be finalists

std::string number(double value) { return bench::csv_number(value); }

class Run {
 public:
  Run(bench::Workbench& bench, Compilers& compilers, Products& products, const SearchGround& ground, const SearchLimits& limits,
      const SearchRecord& record)
      : bench_(bench), compilers_(compilers), products_(products), ground_(ground), limits_(limits), record_(record) {
    for (Shape& shape : search_space(ground)) add(std::move(shape), false);
  }

  // Until the time is up, or everything has been tried.
  void try_all(double until_s) {
    feed();
    while (bench::now_s() < until_s && (compilers_.unfinished() > 0 || !waiting_.empty())) {
      bench::throw_if_interrupted();
      auto compiled = compilers_.take(kGlanceS);
      feed();
      if (!compiled) continue;
      Known& entry = entries_[compiled->number];
      entry.tried.compile_s = compiled->seconds;
      if (compiled->kernel) {
        time(entry, std::move(compiled->kernel));
      } else {
        entry.tried.status = compiled->is_skipped ? "skipped" : "failed";
        entry.tried.reason = compiled->reason;
      }
      note(entry.is_change ? "change" : "space", entry.tried);
      if (entry.tried.status == "ok") learn(compiled->number);
    }
    compilers_.forget();
  }

  std::vector<Tried> finals(double until_s) {
    const double began_s = bench::now_s();
    std::vector<Finalist> finalists = choose_finalists();
    const double sampled_until_s = began_s + kRoundsPart * (until_s - began_s);
    for (std::size_t round = 0; round < kMostRounds && (round == 0 || bench::now_s() < sampled_until_s); ++round) {
      for (Finalist& one : finalists) one.ns.push_back(one.timed.subject->time_device(sample_spec()).ns / kFinalBatch);
    }
    for (Finalist& one : finalists) {
      one.tried.ns = bench::median(one.ns);
      one.tried.samples = one.ns.size();
    }
    std::ranges::sort(finalists, {}, [](const Finalist& one) { return one.tried.ns; });
    std::vector<Tried> list;
    std::size_t verified = 0;
    for (Finalist& one : finalists) {
      if (verified < limits_.verified) {
        finish(one);
        if (one.tried.verified) ++verified;
      }
      note("final", one.tried);
      if (record_.dump != nullptr) record_.dump->add(bench::vulkan::kApi, "", one.kernel->spec(), one.kernel->code());
      list.push_back(one.tried);
    }
    return list;
  }

  std::size_t tried() const { return timed_; }
  std::size_t known() const { return entries_.size(); }

 private:
  struct Known {
    Tried tried = {};
    std::unique_ptr<bench::Kernel> kernel = {};  // of the fastest alone
    bool is_change = false;
    bool is_expanded = false;
  };
  struct Finalist {
    Tried tried;
    const bench::Kernel* kernel;
    bench::Launch launch;
    bench::Prepared timed;
    std::vector<double> ns = {};
  };

  void note(std::string_view stage, const Tried& tried) {
    if (record_.file != nullptr) record_.file->add(ground_, stage, tried);
  }
  ProductConfig config(const Shape& shape) const {
    return {.shape = shape, .data = ground_.data, .size = ground_.size, .sms = bench_.device().info().multiprocessors};
  }
  static bench::DeviceSampleSpec sample_spec() { return {.batch = kFinalBatch, .lead_in = 1}; }

  bool is_wanted(const Shape& shape) const {
    const auto is_beginning = [&](const std::string& kernel) { return shape.variant.starts_with(kernel); };
    return limits_.kernels.empty() || std::ranges::any_of(limits_.kernels, is_beginning);
  }

  void add(Shape shape, bool is_change) {
    if (!is_wanted(shape) || !seen_.insert(name_of(shape)).second) return;
    Known known;
    known.tried.shape = std::move(shape);
    known.is_change = is_change;
    entries_.push_back(std::move(known));
    if (is_change) {
      changes_.push_back(entries_.size() - 1);
    } else {
      waiting_.push_back(entries_.size() - 1);
    }
  }

  // As much as the threads take up at once: what is found meanwhile changes what comes next. Changes of what is fast and shapes
  // of the space in turn.
  void feed() {
    while (compilers_.waiting() < compilers_.threads() && !(waiting_.empty() && changes_.empty())) {
      std::deque<std::size_t>& from = waiting_.empty() || (!changes_.empty() && turn_++ % 3 != 0) ? changes_ : waiting_;
      const std::size_t next = from.front();
      from.pop_front();
      compilers_.add({next, product_kernel(config(entries_[next].tried.shape), products_)});
    }
  }

  // One launch that may be the first, and one that counts; more where it is among the fastest.
  void time(Known& entry, std::unique_ptr<bench::Kernel> kernel) {
    Tried& tried = entry.tried;
    try {
      const auto subject = bench_.device().prepare(product_launch(bench_, config(tried.shape), *kernel), {});
      const bench::DeviceSampleSpec once = {.batch = 1, .lead_in = 1};
      tried.ns = subject->time_device(once).ns;
      tried.samples = 1;
      while (tried.samples < kSamplesOfGood && (best_ns_ == 0 || tried.ns < kWorthMoreSamples * best_ns_)) {
        tried.ns = std::min(tried.ns, subject->time_device(once).ns);
        ++tried.samples;
      }
      tried.status = "ok";
      entry.kernel = std::move(kernel);
      ++timed_;
    } catch (const bench::Skip& skip) {
      tried.status = "skipped";
      tried.reason = skip.what();
    } catch (const bench::Error& error) {
      tried.status = "failed";
      tried.reason = error.what();
    }
  }

  void learn(std::size_t number) {
    const double ns = entries_[number].tried.ns;
    fastest_.insert({ns, number});
    if (fastest_.size() > kKept) {
      const auto last = std::prev(fastest_.end());
      entries_[last->second].kernel.reset();
      fastest_.erase(last);
    }
    if (best_ns_ == 0 || ns < best_ns_) {
      best_ns_ = ns;
      bench::say(fmt::format("{}: {:.1f} TOP/s: {}", text_of(ground_.types), rate(ns), name_of(entries_[number].tried.shape)));
    }
    if (timed_ < limits_.before_near) return;
    const std::vector<std::pair<double, std::size_t>> fastest(fastest_.begin(), fastest_.end());
    for (const auto& [near_ns, near] : fastest) {
      if (near_ns > limits_.near * best_ns_ || std::exchange(entries_[near].is_expanded, true)) continue;
      const Shape shape = entries_[near].tried.shape;
      for (Shape& change : changes_of(shape, ground_)) add(std::move(change), true);
    }
  }

  double rate(double ns) const { return product_operations(config(entries_.front().tried.shape)) / ns * 1e-3; }

  std::vector<Finalist> choose_finalists() {
    std::vector<Finalist> list;
    for (const auto& [ns, number] : fastest_) {
      if (list.size() == limits_.finalists) break;
      const Known& entry = entries_[number];
      const bench::Launch launch = product_launch(bench_, config(entry.tried.shape), *entry.kernel);
      list.push_back(
          {entry.tried, entry.kernel.get(), launch,
           metered(bench_.device(), bench_.device().prepare(launch, {}), product_operations(config(entry.tried.shape)))});
    }
    return list;
  }

  // Verifies it, and reads the meter.
  void finish(Finalist& one) {
    Tried& tried = one.tried;
    try {
      one.launch = product_launch(bench_, config(tried.shape), *one.kernel);  // C poisoned anew
      bench_.device().run(one.launch);
      check_product(bench_, config(tried.shape), products_, one.launch);
      tried.verified = true;
    } catch (const bench::Error& error) {
      tried.status = "failed";
      tried.reason = error.what();
      return;
    }
    if (!one.timed.measure) return;
    const bench::Values read = one.timed.measure();
    const auto value = [&](std::string_view column) { return bench::parse_number<double>(read.text(column)); };
    tried.mhz = value("busy_mhz");
    tried.power_w = value("power_w");
  }

  bench::Workbench& bench_;
  Compilers& compilers_;
  Products& products_;
  const SearchGround& ground_;
  const SearchLimits& limits_;
  const SearchRecord& record_;
  std::deque<Known> entries_;  // what is added moves none
  std::deque<std::size_t> waiting_;
  std::deque<std::size_t> changes_;
  std::set<std::string> seen_;
  std::set<std::pair<double, std::size_t>> fastest_;
  double best_ns_ = 0;
  std::size_t timed_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace

SearchFile::SearchFile(std::string path, std::string gpu, std::string driver)
    : path_(std::move(path)), gpu_(std::move(gpu)), driver_(std::move(driver)), began_s_(bench::now_s()) {
  file_ = bench::FileDescriptor(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (file_.handle() < 0) throw bench::UsageError("--csv {}: is there already, or cannot be made", path_);
  bench::append(
      file_, bench::csv_record({"gpu",       "driver",  "in",      "sums",   "size",        "data",       "stage",    "kernel",
                                "b",         "tile",    "warps",   "matrix", "invocations", "group_rows", "status",   "reason",
                                "compile_s", "time_ns", "samples", "tops",   "busy_mhz",    "power_w",    "verified", "at_s"}),
      path_);
}

void SearchFile::add(const SearchGround& ground, std::string_view stage, const Tried& tried) {
  const Shape& shape = tried.shape;
  const double operations = product_operations({.shape = shape, .data = ground.data, .size = ground.size, .sms = 0});
  const std::string kernel(shape.variant);
  bench::append(file_,
                bench::csv_record({gpu_,
                                   driver_,
                                   std::string(name_of(shape.in)),
                                   std::string(name_of(shape.sums)),
                                   fmt::to_string(ground.size),
                                   std::string(name_of(ground.data)),
                                   std::string(stage),
                                   kernel,
                                   std::string(name_of(shape.b)),
                                   shape.tile(),
                                   shape.warps(),
                                   shape.matrix(),
                                   fmt::to_string(shape.block()),
                                   fmt::to_string(shape.group_rows),
                                   tried.status,
                                   tried.reason,
                                   number(tried.compile_s),
                                   tried.ns == 0 ? "" : number(tried.ns),
                                   fmt::to_string(tried.samples),
                                   tried.ns == 0 ? "" : number(operations / tried.ns * 1e-3),
                                   tried.mhz ? number(*tried.mhz) : "",
                                   tried.power_w ? number(*tried.power_w) : "",
                                   tried.verified ? "full" : "",
                                   number(bench::now_s() - began_s_)}),
                path_);
}

std::vector<Tried> search(bench::Workbench& bench, Compilers& compilers, Products& products, const SearchGround& ground,
                          const SearchLimits& limits, const SearchRecord& record) {
  const double began_s = bench::now_s();
  Run run(bench, compilers, products, ground, limits, record);
  run.try_all(began_s + (1 - limits.finals_part) * limits.budget_s);
  std::vector<Tried> finalists = run.finals(began_s + limits.budget_s);
  bench::say(fmt::format("{}: {} of {} shapes timed in {:.0f} s", text_of(ground.types), run.tried(), run.known(),
                         bench::now_s() - began_s));
  return finalists;
}
