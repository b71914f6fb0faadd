// The files of an experiment: a CSV with one row per case and API, one with a row per sample, and what the columns are.
#pragma once

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/csv.h"
#include "core/schema.h"

namespace bench {

// "results/x/exp01.csv" -> "results/x/exp01.samples.csv", "results/x/exp01.schema.json".
std::string samples_path(const std::string& csv_path);
std::string schema_path(const std::string& csv_path);

// Both files open for appending. A case is written in two calls, samples first, then rows, each flushed to the kernel whole: a
// run that is killed leaves complete rows, and `--resume` drops the samples of the case that was in hand.
class ResultFile {
 public:
  // A fresh pair of files, with headers. Throws UsageError if the folder cannot be written.
  static ResultFile create(const std::string& path, const Schema& schema);
  // Goes on with an existing pair (or creates one). `must_match` are values that every old row has to agree with: throws
  // UsageError if it was made from other sources, on another GPU, or with another seed.
  static ResultFile resume(const std::string& path, const Schema& schema, const Values& must_match);

  // Whether there is a row with these keys.
  bool has(const Values& keys) const { return done_.contains(schema_.results.key(keys)); }
  void append(const std::vector<Values>& samples, const std::vector<Values>& rows);

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;
  ResultFile(std::string path, Schema schema);
  // Replaces all files, these rows (headers first) in them, and opens them to append.
  void open(const std::vector<CsvRow>& samples, const std::vector<CsvRow>& rows);

  std::string path_;
  Schema schema_;
  File rows_;
  File samples_;
  std::set<std::string> done_;
};

}  // namespace bench
