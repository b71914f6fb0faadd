// The two CSV files of an experiment: one row per case and API, and one row per sample.
#pragma once

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/csv.h"

namespace bench {

inline constexpr const char* kCsvSchema = "1";

// Column names of both files, with an experiment's own columns in their place.
CsvRow result_columns(const std::vector<std::string>& params, const std::vector<std::string>& model,
                      const std::vector<std::string>& measured);
CsvRow sample_columns(const std::vector<std::string>& params);

// What tells one row from every other: variant, api, params, elements, cache.
std::string row_key(const CsvRow& row, const CsvRow& columns, const std::vector<std::string>& params);

// "results/x/exp01.csv" -> "results/x/exp01.samples.csv".
std::string samples_path(const std::string& csv_path);

// Both files open for appending. A case is written in two calls, samples first, then rows, each flushed to the kernel whole: a
// run that is killed leaves complete rows, and `--resume` drops the samples of the case that was in hand.
class ResultFile {
 public:
  struct Format {
    std::string path;
    std::vector<std::string> params;
    std::vector<std::string> model;
    std::vector<std::string> measured;
  };

  // A fresh pair of files, with headers. Throws UsageError if the folder cannot be written.
  static ResultFile create(const Format& format);
  // Goes on with an existing pair (or creates one). `must_match` are {column, value} pairs that every old row has to agree
  // with: throws UsageError if it was made from other sources, on another GPU, or with another seed.
  static ResultFile resume(const Format& format, const std::vector<std::pair<std::string, std::string>>& must_match);

  bool has(const CsvRow& row) const;
  void append(const std::vector<CsvRow>& samples, const std::vector<CsvRow>& rows);

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;
  static File open(const std::string& path, const std::vector<CsvRow>& content);

  explicit ResultFile(Format format);
  Format format_;
  CsvRow columns_;
  CsvRow sample_columns_;
  File rows_;
  File samples_;
  std::set<std::string> done_;
};

}  // namespace bench
