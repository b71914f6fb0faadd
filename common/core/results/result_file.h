// The files of an experiment: a CSV with one row per case and API, one with a row per sample, and what the columns are.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/csv.h"
#include "core/base/file_descriptor.h"
#include "core/results/schema.h"

namespace bench {

// "results/x/exp01.csv" -> "results/x/exp01.samples.csv", "results/x/exp01.schema.json".
std::string samples_path(const std::string& csv_path);
std::string schema_path(const std::string& csv_path);

// What all rows of one run have in common: --resume mixes no others with them.
struct RunIdentity {
  Values values;                                    // by column
  std::map<std::string, std::string> drivers = {};  // of the APIs that can run, by their names
  std::map<std::string, std::string> uuids = {};    // of the GPU that an API's rows name
};

// The files, open for appending and held: a second process on them is refused. They are replaced when they are whole, or stay
// as they were. A case's samples are one write, then its rows another: a run that is killed leaves complete rows, and --resume
// drops the samples of the case that was in hand. A path that is a symbolic link stands for what it leads to, where the samples
// and the schema lie beside it.
class ResultFile {
 public:
  // A case that has lost the device so often is not tried again.
  static constexpr std::uint64_t kMostLosses = 2;

  // Files with headers alone, in the place of any that are there. Throws UsageError if a path is not one for results or cannot
  // be written, Error if another process is writing there.
  static ResultFile create(const std::string& path, const Schema& schema);
  // Throws UsageError if a file is there whose loss somebody would regret: anything but a header and rows of smoke runs.
  static void refuse_to_replace(const std::string& path);
  // Goes on with files of the same schema and the same run, or creates them. Rows that are ok are kept, and skipped ones, as
  // long as no API can run now that could not then; failed ones are dropped, to be tried again. Throws UsageError, too, if the
  // files are of another schema, if a row of another run has a result, or if they are damaged elsewhere than at their ends:
  // nothing has been changed then.
  static ResultFile resume(const std::string& path, const Schema& schema, const RunIdentity& run);

  // Whether there is a row with these keys.
  bool has(const Values& keys) const { return done_.contains(schema_.results.key(keys)); }
  // How often the device was lost in earlier tries of the row with these keys.
  std::uint64_t losses(const Values& keys) const;
  // Of the rows that are there, those that failed for good.
  std::size_t given_up() const { return given_up_; }
  // Whether one of the rows that were there is ok.
  bool has_ok() const { return has_ok_; }
  // What --resume did not take, in words, a line each.
  const std::vector<std::string>& left_out() const { return left_out_; }

  // Throws Error if they cannot be written, or as check_in_place().
  void append(const std::vector<Values>& samples, const std::vector<Values>& rows);
  // Throws Error if either file has been removed or replaced since it was opened: what is written to it is then lost.
  void check_in_place() const;

 private:
  ResultFile(std::string path, Schema schema) : path_(std::move(path)), schema_(std::move(schema)) {}
  // Replaces all files, these rows (headers first) in them.
  void replace(const std::vector<CsvRow>& rows, const std::vector<CsvRow>& samples, mode_t mode);
  // Throws UsageError for a record that no program wrote, or that is there twice.
  void check(const std::vector<CsvRow>& records, const std::string& path) const;
  // Sorts the old rows into those that stay, returned with the header, and those that do not.
  std::vector<CsvRow> sift(const std::vector<CsvRow>& old, const RunIdentity& run);
  std::vector<CsvRow> kept_samples();
  // The file's records, the first of them this header. Throws UsageError.
  std::vector<CsvRow> read_records(const std::string& path, const CsvRow& header);

  std::string path_;
  Schema schema_;
  FileDescriptor rows_;
  FileDescriptor samples_;
  std::set<std::string> done_;  // keys
  std::map<std::string, std::uint64_t> losses_;
  std::size_t given_up_ = 0;
  bool has_ok_ = false;
  std::vector<std::string> left_out_;
};

}  // namespace bench
