#include "core/results/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/durable_file.h"
#include "core/base/error.h"
#include "core/base/parse_number.h"

namespace bench {
namespace {

constexpr std::string_view kCsv = ".csv";
constexpr std::string_view kSamples = ".samples.csv";

// The file behind --csv, in a folder that is there.
std::string place_of(const std::string& path) {
  std::string place = file_behind(path);
  const std::string name = std::filesystem::path(place).filename().string();
  if (!name.ends_with(kCsv) || name.ends_with(kSamples) || name == kCsv) {
    throw UsageError("--csv {}: expected a name that ends in .csv (and not in .samples.csv)", path);
  }
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(place).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw UsageError("--csv {}: cannot make the folder: {}", path, error.message());
  for (const std::string& companion : {samples_path(place), schema_path(place)}) file_behind(companion);
  return place;
}

std::string records(const std::vector<CsvRow>& rows) {
  std::string text;
  for (const CsvRow& row : rows) text += csv_record(row);
  return text;
}

std::string records(const FileColumns& columns, const std::vector<Values>& rows) {
  std::string text;
  for (const Values& row : rows) text += csv_record(columns.row(row));
  return text;
}

// Of a row of another run: the first column that says so, and what this run has there.
std::optional<std::pair<std::string, std::string>> difference(const FileColumns& columns, const CsvRow& row,
                                                              const RunIdentity& run) {
  for (const auto& [column, value] : run.values) {
    if (columns.cell(row, column) != value.text()) return std::pair(column, value.text());
  }
  const std::string& api = columns.cell(row, "api");
  const auto gpu = run.uuids.find(api);
  if (gpu != run.uuids.end() && gpu->second != columns.cell(row, "gpu_uuid")) return std::pair("gpu_uuid", gpu->second);
  const std::string& driver = columns.cell(row, "driver");
  const auto now = run.drivers.find(api);
  if (!driver.empty() && now != run.drivers.end() && now->second != driver) return std::pair("driver", now->second);
  return {};
}

// Whether an open quote holds whole records, and not only what of one was written before a kill.
bool swallows_records(std::string_view rest, std::size_t fields) {
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    rest.remove_prefix(end + 1);
    const std::vector<CsvRow> next = parse_csv(rest.substr(0, rest.find('\n') + 1));
    if (next.size() == 1 && next[0].size() == fields) return true;
  }
  return false;
}

}  // namespace

std::string samples_path(const std::string& csv_path) {
  return std::filesystem::path(csv_path).replace_extension(kSamples).string();
}

std::string schema_path(const std::string& csv_path) {
  return std::filesystem::path(csv_path).replace_extension(".schema.json").string();
}

void ResultFile::replace(const std::vector<CsvRow>& rows, const std::vector<CsvRow>& samples, mode_t mode) {
  NextContent next_rows(path_, records(rows), mode);
  NextContent next_samples(file_behind(samples_path(path_)), records(samples), mode);
  NextContent next_schema(file_behind(schema_path(path_)), schema_.json(), mode);
  // A kill in between leaves samples that have no row: --resume drops them.
  rows_ = next_rows.take_place();
  samples_ = next_samples.take_place();
  next_schema.take_place();
}

ResultFile ResultFile::create(const std::string& path, const Schema& schema) {
  ResultFile result(place_of(path), schema);
  const HeldFile held(result.path_);
  result.replace({schema.results.header()}, {schema.samples.header()}, held.mode());
  return result;
}

void ResultFile::refuse_to_replace(const std::string& path) {
  const std::string text = read_file(place_of(path));
  if (text.empty()) return;
  std::vector<CsvRow> records;
  try {
    records = parse_csv(text);
  } catch (const Error&) {  // no program wrote it
  }
  if (records.empty()) throw UsageError("--csv {}: the file is there, and is no CSV: --replace deletes it", path);
  const auto run = std::find(records.at(0).begin(), records.at(0).end(), "run");
  const auto column = static_cast<std::size_t>(run - records.at(0).begin());
  const auto is_kept = [column](const CsvRow& row) { return column >= row.size() || row[column] != "smoke"; };
  const auto rows = std::count_if(records.begin() + 1, records.end(), is_kept);
  if (rows == 0 && run != records.at(0).end()) return;
  throw UsageError("--csv {}: the file has {} rows: --resume goes on with them, --replace measures anew", path, rows);
}

ResultFile ResultFile::resume(const std::string& path, const Schema& schema, const RunIdentity& run) {
  ResultFile result(place_of(path), schema);
  const HeldFile held(result.path_);
  std::vector<CsvRow> rows = {schema.results.header()};
  std::vector<CsvRow> samples = {schema.samples.header()};
  const bool is_new = read_file(result.path_).empty();
  if (!is_new) {
    const std::vector<CsvRow> old = result.read_records(result.path_, schema.results.header());
    if (old.size() > 1) {
      if (read_file(schema_path(result.path_)) != schema.json()) {
        throw UsageError("--resume: {} does not say of {} what this program would; move them away to start afresh",
                         schema_path(path), path);
      }
      result.check(old, path);
      rows = result.sift(old, run);
      samples = result.kept_samples();
    }
  }
  result.replace(rows, samples, held.mode());
  return result;
}

std::vector<CsvRow> ResultFile::read_records(const std::string& path, const CsvRow& header) {
  const std::string text = read_file(path);
  std::vector<CsvRow> records = parse_csv(text);
  if (records.empty() || records[0] != header) {
    throw UsageError("--resume: {} has other columns than this program writes; move it away to start afresh", path);
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].size() == header.size()) continue;
    throw UsageError("--resume: {} is damaged: record {} has {} fields of {}; move it away to start afresh", path, i + 1,
                     records[i].size(), header.size());
  }
  if (swallows_records(unfinished(text), header.size())) {
    throw UsageError("--resume: {} is damaged: a quote is never closed; move it away to start afresh", path);
  }
  if (!text.ends_with('\n')) left_out_.push_back(fmt::format("{} ended with a record that was cut short", path));
  return records;
}

void ResultFile::check(const std::vector<CsvRow>& records, const std::string& path) const {
  std::set<std::string> keys;
  for (std::size_t i = 1; i < records.size(); ++i) {
    std::string wrong;
    try {
      schema_.results.check(records[i]);
      if (!keys.insert(schema_.results.key(records[i])).second) wrong = "the case is there twice";
    } catch (const Error& error) {
      wrong = error.what();
    }
    if (wrong.empty()) continue;
    throw UsageError("--resume: {} is damaged: record {}: {}; move it away to start afresh", path, i + 1, wrong);
  }
}

std::vector<CsvRow> ResultFile::sift(const std::vector<CsvRow>& old, const RunIdentity& run) {
  const FileColumns& columns = schema_.results;
  std::vector<CsvRow> kept = {old[0]};
  std::map<std::string, std::size_t> of_other_runs;  // by what is different
  std::string measured;                              // likewise, of rows with a result
  std::set<std::string> could_run;                   // APIs, then
  for (std::size_t i = 1; i < old.size(); ++i) {
    if (!columns.cell(old[i], "driver").empty()) could_run.insert(columns.cell(old[i], "api"));
  }
  const bool more_can_run =
      std::any_of(run.drivers.begin(), run.drivers.end(), [&](const auto& api) { return !could_run.contains(api.first); });
  std::size_t failed = 0;
  std::size_t skipped = 0;
  for (std::size_t i = 1; i < old.size(); ++i) {
    const CsvRow& row = old[i];
    if (const auto other = difference(columns, row, run)) {
      const std::string what =
          fmt::format("{} {}, this run has {}", other->first, columns.cell(row, other->first), other->second);
      ++of_other_runs[what];
      if (columns.cell(row, "status") == "ok") measured = what;
      continue;
    }
    const std::string& status = columns.cell(row, "status");
    const std::string& losses = columns.cell(row, "device_losses");
    if (status == "failed") {
      const std::uint64_t count = parse_number<std::uint64_t>(losses).value_or(0);
      if (count < kMostLosses) {
        losses_[columns.key(row)] = count;
        ++failed;
        continue;
      }
      ++given_up_;
    }
    const bool was_closed = columns.cell(row, "driver").empty() && run.drivers.contains(columns.cell(row, "api"));
    if (status == "skipped" && (was_closed || more_can_run)) {
      ++skipped;
      continue;
    }
    has_ok_ |= status == "ok";
    kept.push_back(row);
    done_.insert(columns.key(row));
  }
  // Nothing that was measured goes unasked.
  if (!measured.empty()) {
    throw UsageError("--resume: {} was made with {}; the two do not mix: move it away to measure anew", path_, measured);
  }
  for (const auto& [what, count] : of_other_runs) left_out_.push_back(fmt::format("{} rows were made with {}", count, what));
  if (failed != 0) left_out_.push_back(fmt::format("{} failed rows are tried again", failed));
  if (skipped != 0)
    left_out_.push_back(fmt::format("{} skipped rows are tried again: what was missing may be there now", skipped));
  if (given_up_ != 0) {
    left_out_.push_back(
        fmt::format("{} failed rows are not tried again: the device was lost there {} times", given_up_, kMostLosses));
  }
  return kept;
}

std::vector<CsvRow> ResultFile::kept_samples() {
  const std::string path = samples_path(path_);
  const bool none_needed = done_.empty() && !std::filesystem::exists(path);
  if (none_needed) return {schema_.samples.header()};
  std::vector<CsvRow> samples = read_records(path, schema_.samples.header());
  samples.erase(std::remove_if(samples.begin() + 1, samples.end(),
                               [&](const CsvRow& row) { return !done_.contains(schema_.samples.key(row)); }),
                samples.end());
  return samples;
}

std::uint64_t ResultFile::losses(const Values& keys) const {
  const auto found = losses_.find(schema_.results.key(keys));
  return found == losses_.end() ? 0 : found->second;
}

void ResultFile::append(const std::vector<Values>& samples, const std::vector<Values>& rows) {
  // Both are made first: a value that fits no column leaves nothing behind.
  const std::string sample_text = records(schema_.samples, samples);
  const std::string row_text = records(schema_.results, rows);
  bench::append(samples_, sample_text, samples_path(path_));
  bench::append(rows_, row_text, path_);
  check_in_place();
}

void ResultFile::check_in_place() const {
  bench::check_in_place(samples_, samples_path(path_));
  bench::check_in_place(rows_, path_);
}

}  // namespace bench
