#include "core/run/counting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "core/base/durable_file.h"
#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/device/offers.h"
#include "core/results/schema.h"
#include "core/run/case_list.h"
#include "core/run/case_runner.h"

namespace bench {
namespace {

struct Metric {
  std::string_view column;
  std::string_view name;  // NVIDIA's
  std::string_view unit;
  std::string_view meaning;
  bool written_back = false;  // complete only when the L2 holds nothing more of what was written
};

// The most important first: as many as the GPU counts in one pass.
constexpr Metric kFromSms{"sm_l2_sectors", "lts__t_sectors_srcunit_tex.sum", "sectors", "between the SMs and the L2"};
constexpr std::array kMetrics = {
    kFromSms,
    Metric{"l1_sectors", "l1tex__t_sectors.sum", "sectors", "through the L1: loads, stores and atomics"},
    Metric{"l1_hit_sectors", "l1tex__t_sectors_lookup_hit.sum", "sectors", "of these, found in the L1"},
    Metric{"l1_miss_sectors", "l1tex__t_sectors_lookup_miss.sum", "sectors", "of these, not found in the L1"},
    Metric{"l2_sectors", "lts__t_sectors.sum", "sectors", "through the L2, from all sources"},
    Metric{"dram_read_bytes", "dram__bytes_read.sum", "bytes", "read from memory"},
    Metric{"dram_write_bytes", "dram__bytes_write.sum", "bytes", "written to memory", true},
    Metric{"sm_l2_requests", "lts__t_requests_srcunit_tex.sum", "requests", "from the SMs to the L2"},
    Metric{"blocks", "sm__ctas_launched.sum", "blocks", "started"},
    Metric{"sm_active_cycles", "sm__cycles_active.sum", "cycles", "of all SMs, with a warp resident"},
    Metric{"sm_active_cycles_min", "sm__cycles_active.min", "cycles", "of the SM with the fewest"},
    Metric{"sm_active_cycles_max", "sm__cycles_active.max", "cycles", "of the SM with the most"},
    Metric{"l2_slice_sectors_min", "lts__t_sectors.min", "sectors", "through the L2's slice with the fewest"},
    Metric{"l2_slice_sectors_max", "lts__t_sectors.max", "sectors", "through the L2's slice with the most"},
};
// Of experiments with counts_shared, in a session of their own: wavefronts are an SM's turns at its shared memory.
constexpr std::array kSharedMetrics = {
    Metric{"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts", "of shared memory"},
    Metric{"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts", "of these, loads'"},
    Metric{"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts",
           "of these, stores'"},
    Metric{"lsu_wavefronts", "l1tex__data_pipe_lsu_wavefronts.sum", "wavefronts",
           "of the L1's data, shared memory's and others'"},
};
// Likewise with counts_tensor. GH100 counts these two in one pass, and with that pipe's instructions in three (asked of CUPTI
// 13.0's host API, which needs no GPU).
constexpr std::array kTensorMetrics = {
    Metric{"tensor_cycles", "sm__pipe_tensor_cycles_active.sum", "cycles", "of all SMs, in which their matrix units work"},
    Metric{"tensor_of_cycles", "sm__cycles_active.sum", "cycles", "of all SMs with a warp resident, in the same session"},
};
// Of every case whose kernels do not spin, in a session of their own: a GH100 counts these three in one pass.
constexpr std::array kInstructionMetrics = {
    Metric{"instructions", "sm__inst_executed.sum", "instructions", "executed by warps"},
    Metric{"alu_instructions", "sm__inst_executed_pipe_alu.sum", "instructions", "of these, by the ALU: integers and logic"},
    Metric{"lsu_instructions", "sm__inst_executed_pipe_lsu.sum", "instructions", "of these, by the LSU: loads and stores"},
};
constexpr double kSectorBytes = 32;

// What the experiment has counted in a session of its own.
std::span<const Metric> own_metrics(const Experiment& experiment) {
  if (experiment.counts_tensor) return kTensorMetrics;
  if (experiment.counts_shared) return kSharedMetrics;
  return {};
}

// The check of the instrument.
constexpr std::uint32_t kKnownSweeps = 4;
constexpr double kKnownWithin = 0.005;
// A warm session's launches.
constexpr double kEnoughBytes = 512e6;
constexpr double kEnoughNs = 20e6;
constexpr std::uint32_t kLeastLaunches = 8;
constexpr std::uint32_t kMostLaunches = 2000;
constexpr std::size_t kNamesShown = 12;

std::vector<Column> columns_of(std::span<const Metric> metrics) {
  std::vector<Column> columns;
  for (const Metric& metric : metrics) columns.push_back(Column::real(metric.column, metric.unit, metric.meaning));
  return columns;
}

FileColumns columns_of(const Experiment& experiment) {
  using enum ColumnRole;
  std::vector<Column> params;
  for (const Column& column : experiment.params) params.push_back(column.optional());
  FileColumns all;
  all.add(kIdentity, {Column::text("experiment", "the program"), Column::text("variant", "what runs").key(),
                      Column::text("api", "cuda or vulkan").key()});
  all.add(kParam, params);
  all.add(kCase, {Column::integer("elements", "", "that one launch handles").key(),
                  Column::text("cache", "the L2 before a launch: cold or warm").key()});
  all.add(kOrigin, {Column::text("instrument", "what counted").optional(),
                    Column::text("reason", "why nothing was counted").optional()});
  all.add(kCase, {Column::integer("launches", "", "counted together in a session").optional()});
  all.add(kMeasured, columns_of(kMetrics));
  all.add(kMeasured, columns_of(own_metrics(experiment)));
  all.add(kMeasured, columns_of(kInstructionMetrics));
  all.add(kOrigin,
          {Column::real("sm_mhz", "MHz", "the SMs' clock while counting").optional(),
           Column::text("gpu", "the device's name").optional(), Column::text("gpu_uuid", "the device's UUID").optional(),
           Column::text("driver", "its driver's version").optional(),
           Column::text("git_rev", "the commit that the program was built from")});
  return all;
}

// What is counted together, in one session.
struct Group {
  std::vector<Metric> metrics;
  std::vector<std::string> names;  // theirs

  void set(Values& values, const std::vector<double>& counts, std::uint32_t launches) const {
    for (std::size_t k = 0; k < metrics.size(); ++k) values.set(metrics[k].column, counts[k] / launches);
  }
};

// Of these, the metrics that the GPU counts in one pass. Those that it does not are said.
Group counted_together(DeviceCounters& counters, std::span<const Metric> wanted) {
  Group group;
  std::vector<std::string_view> left_out;
  for (const Metric& metric : wanted) {
    group.names.emplace_back(metric.name);
    if (counters.refusal(group.names).empty()) {
      group.metrics.push_back(metric);
    } else {
      group.names.pop_back();
      left_out.push_back(metric.name);
    }
  }
  if (!left_out.empty()) say(fmt::format("not counted in one pass here, so left empty: {}", fmt::join(left_out, ", ")));
  return group;
}

// Throws Skip without the one that everything is checked by.
Group main_group(DeviceCounters& counters) {
  Group group = counted_together(counters, kMetrics);
  if (group.names.empty() || group.names[0] != kFromSms.name) {
    std::vector<std::string> names = counters.names();
    const std::size_t all = names.size();
    names.resize(std::min(all, kNamesShown));
    throw Skip("{} does not count {}; it has {} metrics, among them {}", counters.name(), kFromSms.name, all,
               fmt::join(names, ", "));
  }
  return group;
}

// Counts prepared subjects of one run.
class Instrument {
 public:
  Instrument(std::unique_ptr<DeviceCounters> counters, std::span<const Metric> own, std::uint64_t evict_bytes,
             OpenDevices& devices)
      : counters_(std::move(counters)),
        main_(main_group(*counters_)),
        own_(counted_together(*counters_, own)),
        instructions_(counted_together(*counters_, kInstructionMetrics)),
        evict_bytes_(evict_bytes),
        devices_(devices) {}

  std::string name() const { return counters_->name(); }

  // Why this API's work is not counted: the check did not come out right. "" if it did. Checks anew after forget().
  const std::string& blindness(const Api& api) {
    const auto [found, is_new] = blindness_.try_emplace(api);
    if (is_new) found->second = check(api);
    return found->second;
  }
  // Before the devices become others.
  void forget() { blindness_.clear(); }

  // A side of a case, ready to be counted, and what has been.
  struct Counted {
    Subject* subject = nullptr;
    Api api;
    std::uint32_t launches = 1;  // together, in a warm session
    Values values = {};          // by their columns, of one launch
    std::string why_not = {};    // there are no values
    bool is_skipped = false;     // that is no failure: it does not run alone, or lacks something
  };

  // Group by group for all sides: another group takes the hardware a time to set up, so the next case begins with the last one.
  void count(std::vector<Counted>& sides, const Case& the_case) {
    for (Counted& side : sides) {
      attempt(side, [&] {
        if (the_case.cache != Cache::kCold) side.launches = launches_for(*side.subject, the_case);
        side.values.set("launches", side.launches);
      });
    }
    std::vector<std::function<void(Counted&)>> groups = {[&](Counted& side) { count_main(side, the_case); }};
    if (!own_.names.empty() && the_case.cache != Cache::kCold)
      groups.emplace_back([&](Counted& side) { own_.set(side.values, warm(own_, side), side.launches); });
    if (!instructions_.names.empty() && !the_case.spins)
      groups.emplace_back([&](Counted& side) { instructions_.set(side.values, warm(instructions_, side), side.launches); });
    if (std::exchange(is_backwards_, !is_backwards_)) std::ranges::reverse(groups);
    for (const auto& group : groups) {
      for (Counted& side : sides) attempt(side, [&] { group(side); });
    }
  }

 private:
  void sweep(const Api& api) { devices_.at(api).device->evict_l2(); }

  std::string check(const Api& api) {
    sweep(api);
    const double counted = session([&] {
      for (std::uint32_t k = 0; k < kKnownSweeps; ++k) sweep(api);
    })[0];
    const double wanted = kKnownSweeps * static_cast<double>(evict_bytes_) / kSectorBytes;
    if (std::abs(counted - wanted) <= kKnownWithin * wanted) return "";
    return fmt::format("{} does not see this API's work: {:.0f} sectors of a kernel that reads {:.0f}", counters_->name(),
                       counted, wanted);
  }

  // One a metric.
  std::vector<double> session(const std::function<void()>& work) { return counters_->count(main_.names, work); }

  static void attempt(Counted& side, const std::function<void()>& step) {
    if (!side.why_not.empty()) return;
    try {
      step();
    } catch (const Skip& skip) {
      side.why_not = skip.what();
      side.is_skipped = true;
    } catch (const Error& error) {
      side.why_not = error.what();
    }
  }

  static std::uint32_t launches_for(Subject& subject, const Case& the_case) {
    if (subject.restores()) return 1;
    const double ns = std::max(
        1.0, subject.timed_by_host() ? subject.time_host(1).roundtrip_ns : subject.time_device({.batch = 1, .lead_in = 1}).ns);
    const double bytes = std::max(kSectorBytes, static_cast<double>(the_case.footprint_bytes));
    const double enough = std::min(kEnoughBytes / bytes, kEnoughNs / ns);
    return static_cast<std::uint32_t>(
        std::clamp(enough, static_cast<double>(kLeastLaunches), static_cast<double>(kMostLaunches)));
  }

  std::vector<double> warm(const Group& group, const Counted& side) {
    side.subject->time_host(1);
    side.subject->restore();  // what it does is not counted
    return counters_->count(group.names, [&] { side.subject->time_host(side.launches); });
  }

  void count_main(Counted& side, const Case& the_case) {
    main_.set(side.values, the_case.cache == Cache::kCold ? cold(side) : warm(main_, side), side.launches);
  }

  std::vector<double> cold(const Counted& side) {
    side.subject->restore();
    sweep(side.api);
    std::vector<double> counts = session([&] { side.subject->time_host(1); });
    side.subject->restore();
    sweep(side.api);
    const std::vector<double> written_back = session([&] {
      side.subject->time_host(1);
      sweep(side.api);
    });
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (main_.metrics[k].written_back) counts[k] = written_back[k];
    }
    return counts;
  }

  std::unique_ptr<DeviceCounters> counters_;
  Group main_;  // begins with kFromSms
  Group own_;
  Group instructions_;
  std::uint64_t evict_bytes_;
  OpenDevices& devices_;
  std::map<Api, std::string> blindness_;
  bool is_backwards_ = false;  // the next case's groups
};

// Counts the cases one by one and writes their rows.
class Count {
 public:
  Count(const Experiment& experiment, Instrument& instrument, OpenDevices& devices)
      : experiment_(experiment), instrument_(instrument), devices_(devices), read_clock_(devices.clock_reader()) {}

  // A row a side. What does not fit into the memory together is counted one by one.
  std::vector<Values> rows_of(const Case& one) {
    std::vector<Values> rows;
    std::vector<std::size_t> all(one.sides.size());
    std::iota(all.begin(), all.end(), 0);
    if (auto together = count(one, all)) return *together;
    for (const std::size_t side : all) {
      devices_.release_buffers();
      const auto alone = count(one, std::span(&side, 1));
      rows.insert(rows.end(), alone->begin(), alone->end());
    }
    return rows;
  }

  std::size_t counted = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;

 private:
  // nullopt: together they run out of memory.
  std::optional<std::vector<Values>> count(const Case& one, std::span<const std::size_t> sides) {
    std::vector<Values> rows;
    std::vector<Prepared> prepared;
    std::vector<Instrument::Counted> ready;
    std::vector<std::size_t> row_of;  // of each that is ready
    struct Missing {
      const Side* side;
      std::string why;
      bool is_failure;
    };
    std::vector<Missing> missing;
    for (const std::size_t number : sides) {
      const Side& side = one.sides[number];
      OpenDevice& open = devices_.at(side.api);
      Values& row = rows.emplace_back(keys(one, side));
      row.set({{"experiment", experiment_.name},
               {"instrument", instrument_.name()},
               {"gpu", open.info.name},
               {"gpu_uuid", uuid_text(open.info.uuid)},
               {"driver", open.info.driver},
               {"git_rev", git_revision()}});
      auto made = set_up(experiment_, one, side, open);
      if (const auto* why_not = std::get_if<SideResult>(&made)) {
        if (why_not->out_of_memory && sides.size() > 1) return {};
        if (why_not->out_of_memory) devices_.release_buffers();
        row.set("reason", why_not->reason);
        missing.push_back({&side, why_not->reason, why_not->status != Status::kSkipped});
      } else if (const std::string& blind = instrument_.blindness(side.api); !blind.empty()) {
        row.set("reason", blind);
        missing.push_back({&side, blind, false});
      } else {
        prepared.push_back(std::get<Prepared>(std::move(made)));
        ready.push_back({.subject = prepared.back().subject.get(), .api = side.api});
        row_of.push_back(rows.size() - 1);
      }
    }
    instrument_.count(ready, one);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      Values& row = rows[row_of[i]];
      if (ready[i].why_not.empty()) {
        row.set(ready[i].values);
        if (read_clock_) row.set("sm_mhz", read_clock_().sm_mhz);
        ++counted;
      } else {
        row.set("reason", ready[i].why_not);
        missing.push_back({&one.sides[sides[row_of[i]]], ready[i].why_not, !ready[i].is_skipped});
      }
    }
    for (const Missing& each : missing) {
      ++(each.is_failure ? failed : skipped);
      if (said_.insert(each.why).second) say(fmt::format("{}: {}", benchmark_name(experiment_, one, *each.side), each.why));
    }
    return rows;
  }

  const Experiment& experiment_;
  Instrument& instrument_;
  OpenDevices& devices_;
  std::function<ClockReading()> read_clock_;
  std::set<std::string> said_;
};

// The counters of the GPU that the APIs share, of the first device that has some. Throws Skip with what is missing.
std::unique_ptr<DeviceCounters> open_counters(OpenDevices& devices) {
  std::string reasons;
  for (auto& [api, open] : devices.all()) {
    if (auto* const counting = open.device ? open.device->as<Counting>() : nullptr) return counting->counters();
    reasons += fmt::format("; {} {}", api.name, open.device ? std::string(Counting::kLack) : ": " + open.unavailable);
  }
  throw Skip("one API opens the counters for all work of the GPU, and none can here{}", reasons);
}

}  // namespace

int count_cases(const Experiment& experiment, const std::vector<Case>& cases, const std::string& path,
                std::uint64_t evict_bytes, OpenDevices& devices) {
  std::optional<Instrument> instrument;
  try {
    instrument.emplace(open_counters(devices), own_metrics(experiment), evict_bytes, devices);
    devices.prepare_eviction(evict_bytes);
  } catch (const Skip& why) {
    say(fmt::format("nothing is counted: {}", why.what()));
    return kAllSkipped;
  }
  const FileColumns columns = columns_of(experiment);
  const std::string place = file_behind(path);
  const HeldFile held(place);
  const FileDescriptor file = NextContent(place, csv_record(columns.header()), held.mode()).take_place();
  Count count(experiment, *instrument, devices);
  for (const Case& one : cases) {
    if (interrupted()) return kInterruptedBySignal;
    if (devices.is_another(one.vulkan)) instrument->forget();
    if (devices.use(one.vulkan)) devices.prepare_eviction(evict_bytes);
    for (const Values& row : count.rows_of(one)) append(file, csv_record(columns.row(row)), place);
  }
  say(fmt::format("{}: {} kernels counted, {} failed, {} skipped: {}", experiment.name, count.counted, count.failed,
                  count.skipped, path));
  if (count.failed != 0 || devices.complained()) return kFailed;
  return count.counted == 0 ? kAllSkipped : kOk;
}

}  // namespace bench
