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

void write_all(std::FILE* file, const std::string& text, const std::string& path) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) {
    throw Error("cannot write {}: {}", path, std::strerror(errno));
  }
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

// Replaces the file in one step (temporary file, rename), so that there is never a half-written one.
void replace(const std::string& path, const std::string& content) {
  const std::string temporary = path + ".new";
  {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "wb"), std::fclose);
    if (!file) throw UsageError("--csv: cannot write {}: {}", path, std::strerror(errno));
    write_all(file.get(), content, temporary);
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw UsageError("--csv: cannot write {}: {}", path, error.message());
}

}  // namespace

std::string samples_path(const std::string& csv_path) {
  return std::filesystem::path(csv_path).replace_extension(".samples.csv").string();
}

std::string schema_path(const std::string& csv_path) {
  return std::filesystem::path(csv_path).replace_extension(".schema.json").string();
}

ResultFile::ResultFile(std::string path, Schema schema) : path_(std::move(path)), schema_(std::move(schema)) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) throw UsageError("--csv {}: a folder has this name", path_);
  error.clear();
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw UsageError("--csv {}: cannot make the folder: {}", path_, error.message());
}

void ResultFile::open(const std::vector<CsvRow>& samples, const std::vector<CsvRow>& rows) {
  const auto appended = [](const std::string& path) {
    File file(std::fopen(path.c_str(), "ab"));
    if (!file) throw UsageError("--csv: cannot append to {}: {}", path, std::strerror(errno));
    return file;
  };
  replace(schema_path(path_), schema_.json());
  replace(samples_path(path_), records(samples));
  samples_ = appended(samples_path(path_));
  replace(path_, records(rows));
  rows_ = appended(path_);
}

ResultFile ResultFile::create(const std::string& path, const Schema& schema) {
  ResultFile result(path, schema);
  result.open({schema.samples.header()}, {schema.results.header()});
  return result;
}

ResultFile ResultFile::resume(const std::string& path, const Schema& schema, const Values& must_match) {
  ResultFile result(path, schema);
  if (!std::filesystem::exists(path)) return create(path, schema);
  const std::vector<CsvRow> old = read_csv(path);
  if (old.empty() || old[0] != schema.results.header()) {
    throw UsageError("--resume: {} has other columns than this program writes; move it away to start afresh", path);
  }
  std::vector<CsvRow> rows = {schema.results.header()};
  for (std::size_t i = 1; i < old.size(); ++i) {
    if (old[i].size() != schema.results.header().size()) continue;  // cut short by a crash of the machine
    for (const auto& [column, value] : must_match) {
      const std::string& found = schema.results.cell(old[i], column);
      if (found != value.text()) {
        throw UsageError("--resume: {} was made with {} {}, this run has {}; the two do not mix", path, column, found,
                         value.text());
      }
    }
    rows.push_back(old[i]);
    result.done_.insert(schema.results.key(old[i]));
  }
  std::vector<CsvRow> samples = {schema.samples.header()};
  const std::vector<CsvRow> old_samples = read_csv(samples_path(path));
  for (std::size_t i = 1; i < old_samples.size(); ++i) {
    if (old_samples[i].size() != schema.samples.header().size()) continue;
    if (result.done_.contains(schema.samples.key(old_samples[i]))) samples.push_back(old_samples[i]);
  }
  result.open(samples, rows);
  return result;
}

void ResultFile::append(const std::vector<Values>& samples, const std::vector<Values>& rows) {
  write_all(samples_.get(), records(schema_.samples, samples), samples_path(path_));
  write_all(rows_.get(), records(schema_.results, rows), path_);
}

}  // namespace bench
