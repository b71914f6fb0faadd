#include "core/result_writer.h"

#include <algorithm>
#include <utility>

#include "core/environment.h"

namespace bench {
namespace {

ResultFile open_file(const Experiment& experiment, const Options& options, const Selection& selection) {
  const ResultFile::Format format = {options.csv, experiment.params, experiment.model, experiment.measured};
  if (!options.resume) return ResultFile::create(format);
  return ResultFile::resume(format, {{"experiment", std::string(experiment.name)},
                                     {"seed", std::to_string(options.seed)},
                                     {"gpu_uuid", selection.gpu_uuid()},
                                     {"git_rev", std::string(git_revision())}});
}

std::string cell(const std::optional<double>& value) { return value ? csv_number(*value) : ""; }

}  // namespace

ResultWriter::ResultWriter(const Experiment& experiment, const Options& options, const Plan& plan, const OpenDevices& devices)
    : experiment_(experiment),
      options_(options),
      plan_(plan),
      devices_(devices),
      file_(open_file(experiment, options, devices.selection())) {}

bool ResultWriter::has(const Case& the_case, const Side& side) const {
  return file_.has(row(the_case, side, {}, {}, ""));  // what is known beforehand is enough for its key
}

void ResultWriter::write(const Case& the_case, const CaseResult& result) {
  std::vector<CsvRow> sample_rows;
  for (const Sample& one : result.samples.samples) sample_rows.push_back(sample_row(the_case, result, one));
  std::vector<CsvRow> rows;
  for (std::size_t s = 0; s < result.sides.size(); ++s) {
    Timed timed;
    const auto found = std::find(result.timed.begin(), result.timed.end(), s);
    if (found != result.timed.end()) timed = {&result.samples, static_cast<std::uint32_t>(found - result.timed.begin())};
    rows.push_back(row(the_case, the_case.sides[s], result.sides[s], timed, result.started_at));
  }
  file_.append(sample_rows, rows);
}

CsvRow ResultWriter::row(const Case& the_case, const Side& side, const SideResult& result, const Timed& timed,
                         const std::string& started_at) const {
  const OpenDevice& open = devices_.at(side.api);
  const DeviceInfo* named = open.device ? &open.info : devices_.selection().named();
  CsvRow cells = {kCsvSchema,   std::string(experiment_.name), side.variant, std::string(to_string(side.api)), result.status,
                  result.reason};
  cells.insert(cells.end(), side.params.begin(), side.params.end());
  std::vector<std::string> model = the_case.model;
  model.resize(experiment_.model.size());
  cells.insert(cells.end(), model.begin(), model.end());
  cells.push_back(std::to_string(the_case.elements));
  cells.push_back(the_case.useful_bytes == 0 ? "" : std::to_string(the_case.useful_bytes));
  cells.emplace_back(to_string(the_case.cache));
  const CsvRow its_figures = figures(the_case, result, timed);
  cells.insert(cells.end(), its_figures.begin(), its_figures.end());
  cells.push_back(std::to_string(options_.seed));
  cells.push_back(result.isa_hash);
  cells.push_back(named != nullptr ? named->name : "");
  cells.push_back(devices_.selection().gpu_uuid());
  cells.push_back(open.info.driver);
  cells.push_back(open.info.toolkit);
  cells.emplace_back(git_revision());
  cells.push_back(started_at);
  return cells;
}

// The columns from batch to order.
CsvRow ResultWriter::figures(const Case& the_case, const SideResult& result, const Timed& timed) const {
  const auto& [samples, index] = timed;
  if (samples == nullptr || !result.device_ns) return CsvRow(15 + experiment_.measured.size());
  const Selection& selection = devices_.selection();
  const double peak_gbps = selection.cuda ? selection.cuda->peak_gbps : 0;
  const bool has_peak = result.gbps > 0 && peak_gbps > 0 && plan_.is_dram(the_case.footprint_bytes);
  const Summary& time = *result.device_ns;
  CsvRow cells = {std::to_string(samples->batch),
                  std::to_string(time.samples),
                  csv_number(time.median),
                  time.ci95 ? csv_number(time.ci95->lo) : "",
                  time.ci95 ? csv_number(time.ci95->hi) : "",
                  csv_number(time.min),
                  csv_number(time.p05),
                  csv_number(time.p95),
                  cell(samples->median_of(index, &Sample::roundtrip_ns)),
                  cell(samples->median_of(index, &Sample::submit_ns)),
                  result.gbps > 0 ? csv_number(result.gbps) : "",
                  has_peak ? csv_number(100 * result.gbps / peak_gbps) : ""};
  const std::size_t before_measured = cells.size();
  cells.insert(cells.end(), result.measured.begin(), result.measured.end());
  cells.resize(before_measured + experiment_.measured.size());
  cells.push_back(cell(samples->median_of(index, &Sample::sm_mhz)));
  cells.push_back(samples->stop);
  cells.push_back(samples->order);
  return cells;
}

CsvRow ResultWriter::sample_row(const Case& the_case, const CaseResult& result, const Sample& one) const {
  const Side& side = the_case.sides[result.timed[one.side]];
  CsvRow cells = {kCsvSchema, std::string(experiment_.name), side.variant, std::string(to_string(side.api))};
  cells.insert(cells.end(), side.params.begin(), side.params.end());
  cells.push_back(std::to_string(the_case.elements));
  cells.emplace_back(to_string(the_case.cache));
  cells.push_back(std::to_string(result.samples.batch));
  cells.push_back(std::to_string(one.position));
  for (const auto& figure : {one.device_ns, one.roundtrip_ns, one.submit_ns, one.sm_mhz}) cells.push_back(cell(figure));
  return cells;
}

}  // namespace bench
