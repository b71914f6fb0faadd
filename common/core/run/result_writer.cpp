#include "core/run/result_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/environment.h"
#include "core/base/process.h"
#include "core/run/case_list.h"

namespace bench {
namespace {

std::string_view kind_of_run(const Options& options) { return options.smoke ? "smoke" : options.quick ? "quick" : "full"; }

std::string_view order_of_cases(const Options& options) { return options.shuffle ? "random" : "listed"; }

// Whose GPU a row names: its own API's; of an API without a device the run's, so that the row is of its board.
const DeviceInfo& gpu_of(const Api& api, const OpenDevices& devices) {
  const DeviceInfo& own = devices.at(api).info;
  const DeviceInfo* named = devices.selection().named();
  return own.name.empty() && named != nullptr ? *named : own;
}

ResultFile open_file(const Experiment& experiment, const Options& options, const OpenDevices& devices) {
  const Schema schema = schema_of(experiment);
  if (!options.resume) {
    if (!options.replace) ResultFile::refuse_to_replace(options.csv);
    return ResultFile::create(options.csv, schema);
  }
  RunIdentity run = {.values = {{"experiment", experiment.name},
                                {"seed", options.seed},
                                {"input_seed", options.input_seed},
                                {"case_order", order_of_cases(options)},
                                {"git_rev", git_revision()},
                                {"run", kind_of_run(options)}}};
  for (const auto& [api, open] : devices.all()) {
    if (open.device) run.drivers[std::string(to_string(api))] = open.info.driver;
    run.uuids[std::string(to_string(api))] = uuid_text(gpu_of(api, devices).uuid);
  }
  return ResultFile::resume(options.csv, schema, run);
}

}  // namespace

ResultWriter::ResultWriter(const Experiment& experiment, const Options& options, const Plan& plan, const OpenDevices& devices)
    : experiment_(experiment),
      options_(options),
      plan_(plan),
      devices_(devices),
      file_(open_file(experiment, options, devices)) {
  for (const std::string& line : file_.left_out()) say(fmt::format("--resume: {}", line));
}

bool ResultWriter::has(const Case& the_case, const Side& side) const { return file_.has(keys(the_case, side)); }

void ResultWriter::write(const Case& the_case, const CaseResult& result) {
  std::vector<Values> samples;
  for (const Sample& one : result.samples.samples) samples.push_back(sample_row(the_case, result, one));
  std::vector<Values> rows;
  for (std::size_t s = 0; s < result.sides.size(); ++s) {
    Values& row = rows.emplace_back(side_row(the_case, the_case.sides[s], result.sides[s]));
    row.set("started_at", result.started_at);
    const bool lost = !result.lost.empty() && result.sides[s].status == Status::kFailed;
    row.set("device_losses", unless_zero(file_.losses(row) + (lost ? 1U : 0U)));
    const auto found = std::find(result.timed.begin(), result.timed.end(), s);
    if (found == result.timed.end() || !result.sides[s].time_ns) continue;
    const auto subject = static_cast<std::uint32_t>(found - result.timed.begin());
    row.set(figures(the_case, result.sides[s], result.samples, subject));
  }
  file_.append(samples, rows);
}

Values ResultWriter::side_row(const Case& the_case, const Side& side, const SideResult& result) const {
  const OpenDevice& open = devices_.at(side.api);
  const DeviceInfo& gpu = gpu_of(side.api, devices_);
  Values row = keys(the_case, side);
  row.set(the_case.model);
  row.set({{"schema", kCsvSchema},
           {"experiment", experiment_.name},
           {"status", to_string(result.status)},
           {"reason", result.reason},
           {"useful_bytes", unless_zero(the_case.useful_bytes)},
           {"run", kind_of_run(options_)},
           {"seed", options_.seed},
           {"input_seed", options_.input_seed},
           {"case_order", order_of_cases(options_)},
           {"verified", result.status == Status::kOk ? to_string(result.verified) : ""},
           {"remade", unless_zero(result.remade)},
           {"isa_hash", result.isa_hash},
           {"gpu", gpu.name},
           {"gpu_uuid", uuid_text(gpu.uuid)},
           {"device_type", device_type(gpu)},
           {"driver", open.info.driver},
           {"toolkit", result.toolkit.empty() ? open.info.toolkit : result.toolkit},
           {"sources", measuring_sources()},
           {"git_rev", git_revision()}});
  return row;
}

Values ResultWriter::figures(const Case& the_case, const SideResult& result, const SampleSet& samples,
                             std::uint32_t subject) const {
  const Selection& selection = devices_.selection();
  double peak_gbps = 0;  // as the API tells that does
  for (const auto& [api, device] : selection.devices) peak_gbps = std::max(peak_gbps, device.peak_gbps);
  const bool has_peak = result.gbps > 0 && peak_gbps > 0 && plan_.is_dram(the_case.footprint_bytes);
  const Summary& time = *result.time_ns;
  const auto cost = [&](double (FixedCost::*per_launch)(std::uint32_t) const) {
    const double ns = result.fixed_cost ? ((*result.fixed_cost).*per_launch)(samples.batch) : 0;
    return ns > 0 ? Value(ns) : Value();
  };
  Values row = {{"batch", samples.batch},
                {"samples", time.samples},
                {"stamps_ns", cost(&FixedCost::stamps_of)},
                {"fixed_ns", cost(&FixedCost::of)},
                {"ungated_samples", samples.ungated(subject)},
                {"throttled_samples", samples.throttled[subject]},
                {"roundtrip_ns", samples.median_of(subject, &Sample::roundtrip_ns)},
                {"submit_ns", samples.median_of(subject, &Sample::submit_ns)},
                {"gbps", result.gbps > 0 ? Value(result.gbps) : Value()},
                {"peak_pct", has_peak ? Value(100 * result.gbps / peak_gbps) : Value()},
                {"sm_mhz", samples.median_of(subject, &Sample::sm_mhz)},
                {"stop", samples.stop},
                {"order", samples.order}};
  const std::string column = samples.timed_by_host ? "host_ns" : "device_ns";
  row.set(column, time).set(column + "_min", time.min).set(column + "_p05", time.p05).set(column + "_p95", time.p95);
  return row.set(result.measured);
}

Values ResultWriter::sample_row(const Case& the_case, const CaseResult& result, const Sample& one) const {
  Values row = keys(the_case, the_case.sides[result.timed[one.side]]);
  row.set({{"schema", kCsvSchema},
           {"experiment", experiment_.name},
           {"batch", result.samples.batch},
           {"position", one.position},
           {"device_ns", one.device_ns},
           {"roundtrip_ns", one.roundtrip_ns},
           {"submit_ns", one.submit_ns},
           {"sm_mhz", one.sm_mhz}});
  return row;
}

}  // namespace bench
