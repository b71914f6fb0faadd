#include "core/result_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"

namespace bench {
namespace {

std::vector<CsvRow> read_csv(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return parse_csv(std::string(std::istreambuf_iterator<char>(stream), {}));
}

std::string cell(const CsvRow& row, const CsvRow& columns, const std::string& name) {
  const auto column = std::find(columns.begin(), columns.end(), name) - columns.begin();
  return row.at(static_cast<std::size_t>(column));
}

void write_all(std::FILE* file, const std::vector<CsvRow>& rows, const std::string& path) {
  std::string text;
  for (const CsvRow& row : rows) text += csv_record(row);
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) {
    throw Error("cannot write {}: {}", path, std::strerror(errno));
  }
}

}  // namespace

CsvRow result_columns(const std::vector<std::string>& params, const std::vector<std::string>& model,
                      const std::vector<std::string>& measured) {
  CsvRow columns = {"schema", "experiment", "variant", "api", "status", "reason"};
  columns.insert(columns.end(), params.begin(), params.end());
  columns.insert(columns.end(), model.begin(), model.end());
  for (const char* name :
       {"elements", "useful_bytes", "cache", "batch", "samples", "device_ns", "device_ns_lo", "device_ns_hi", "device_ns_min",
        "device_ns_p05", "device_ns_p95", "roundtrip_ns", "submit_ns", "gbps", "peak_pct"}) {
    columns.emplace_back(name);
  }
  columns.insert(columns.end(), measured.begin(), measured.end());
  for (const char* name :
       {"sm_mhz", "stop", "order", "seed", "isa_hash", "gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "started_at"}) {
    columns.emplace_back(name);
  }
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (std::find(column + 1, columns.end(), *column) != columns.end()) throw Error("two columns are named {}", *column);
  }
  return columns;
}

CsvRow sample_columns(const std::vector<std::string>& params) {
  CsvRow columns = {"schema", "experiment", "variant", "api"};
  columns.insert(columns.end(), params.begin(), params.end());
  for (const char* name : {"elements", "cache", "batch", "position", "device_ns", "roundtrip_ns", "submit_ns", "sm_mhz"}) {
    columns.emplace_back(name);
  }
  return columns;
}

std::string row_key(const CsvRow& row, const CsvRow& columns, const std::vector<std::string>& params) {
  CsvRow key = {cell(row, columns, "variant"), cell(row, columns, "api")};
  for (const std::string& param : params) key.push_back(cell(row, columns, param));
  key.push_back(cell(row, columns, "elements"));
  key.push_back(cell(row, columns, "cache"));
  return csv_record(key);
}

std::string samples_path(const std::string& csv_path) {
  return std::filesystem::path(csv_path).replace_extension(".samples.csv").string();
}

ResultFile::ResultFile(Format format)
    : format_(std::move(format)),
      columns_(result_columns(format_.params, format_.model, format_.measured)),
      sample_columns_(sample_columns(format_.params)) {
  std::error_code error;
  if (std::filesystem::is_directory(format_.path, error)) throw UsageError("--csv {}: a folder has this name", format_.path);
  error.clear();
  const std::filesystem::path folder = std::filesystem::path(format_.path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw UsageError("--csv {}: cannot make the folder: {}", format_.path, error.message());
}

// Replaces the file in one step (temporary file, rename), so that there is never a half-written one, then opens it to append.
ResultFile::File ResultFile::open(const std::string& path, const std::vector<CsvRow>& content) {
  const std::string temporary = path + ".new";
  {
    const File file(std::fopen(temporary.c_str(), "wb"));
    if (!file) throw UsageError("--csv: cannot write {}: {}", path, std::strerror(errno));
    write_all(file.get(), content, temporary);
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw UsageError("--csv: cannot write {}: {}", path, error.message());
  File file(std::fopen(path.c_str(), "ab"));
  if (!file) throw UsageError("--csv: cannot append to {}: {}", path, std::strerror(errno));
  return file;
}

ResultFile ResultFile::create(const Format& format) {
  ResultFile result(format);
  result.samples_ = open(samples_path(format.path), {result.sample_columns_});
  result.rows_ = open(format.path, {result.columns_});
  return result;
}

ResultFile ResultFile::resume(const Format& format, const std::vector<std::pair<std::string, std::string>>& must_match) {
  ResultFile result(format);
  if (!std::filesystem::exists(format.path)) return create(format);
  const std::vector<CsvRow> old = read_csv(format.path);
  if (old.empty() || old[0] != result.columns_) {
    throw UsageError("--resume: {} has other columns than this program writes; move it away to start afresh", format.path);
  }
  std::vector<CsvRow> rows = {result.columns_};
  for (std::size_t i = 1; i < old.size(); ++i) {
    if (old[i].size() != result.columns_.size()) continue;  // cut short by a crash of the machine
    for (const auto& [column, value] : must_match) {
      const std::string found = cell(old[i], result.columns_, column);
      if (found != value) {
        throw UsageError("--resume: {} was made with {} {}, this run has {}; the two do not mix", format.path, column, found,
                         value);
      }
    }
    rows.push_back(old[i]);
    result.done_.insert(row_key(old[i], result.columns_, format.params));
  }
  std::vector<CsvRow> samples = {result.sample_columns_};
  const std::vector<CsvRow> old_samples = read_csv(samples_path(format.path));
  for (std::size_t i = 1; i < old_samples.size(); ++i) {
    if (old_samples[i].size() != result.sample_columns_.size()) continue;
    if (result.done_.contains(row_key(old_samples[i], result.sample_columns_, format.params)))
      samples.push_back(old_samples[i]);
  }
  result.samples_ = open(samples_path(format.path), samples);
  result.rows_ = open(format.path, rows);
  return result;
}

bool ResultFile::has(const CsvRow& row) const { return done_.contains(row_key(row, columns_, format_.params)); }

void ResultFile::append(const std::vector<CsvRow>& samples, const std::vector<CsvRow>& rows) {
  write_all(samples_.get(), samples, samples_path(format_.path));
  write_all(rows_.get(), rows, format_.path);
}

}  // namespace bench
