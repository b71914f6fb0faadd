#include "core/experiment/verified_outputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/csv.h"
#include "core/base/durable_file.h"
#include "core/base/error.h"
#include "core/base/parse_number.h"

namespace bench {
namespace {

enum Place : std::size_t { kExperiment, kGitRev, kInputSeed, kName, kNumber, kWords, kChecksum, kPlaces };

CsvRow header() { return {"experiment", "git_rev", "input_seed", "output", "number", "words", "checksum"}; }

CsvRow row_of(const VerifiedOutputs::Origin& origin, const VerifiedOutputs::Output& output, const Checksum& checksum) {
  return {origin.experiment,
          origin.git_rev,
          std::to_string(origin.input_seed),
          output.name,
          std::to_string(output.number),
          std::to_string(output.words),
          checksum.text()};
}

std::optional<std::pair<VerifiedOutputs::Output, Checksum>> parse(const CsvRow& row) {
  constexpr std::size_t kHalf = 8;  // hexadecimal digits of one sum
  const auto number = parse_number<std::uint32_t>(row[kNumber]);
  const auto words = parse_number<std::uint64_t>(row[kWords]);
  const std::string_view digits = row[kChecksum];
  if (!number || !words || digits.size() != 2 * kHalf) return {};
  const auto hi = parse_number<std::uint32_t>(digits.substr(0, kHalf), 16);
  const auto lo = parse_number<std::uint32_t>(digits.substr(kHalf), 16);
  if (!hi || !lo) return {};
  return std::pair(VerifiedOutputs::Output{row[kName], *number, *words}, Checksum{*lo, *hi});
}

}  // namespace

VerifiedOutputs::VerifiedOutputs(const std::string& path, const Origin& origin) : path_(file_behind(path)), origin_(origin) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw UsageError("--checksums {}: cannot make the folder: {}", path, error.message());
  const HeldFile held(path_);
  const std::string seed = std::to_string(origin.input_seed);
  const std::vector<CsvRow> rows = parse_csv(read_file(path_));
  if (!rows.empty() && rows.front() != header()) {
    throw UsageError("--checksums {}: this is no file of checksums; choose another name", path);
  }
  std::string content = csv_record(header());
  for (const CsvRow& row : rows) {
    if (row.size() != kPlaces || row[kExperiment] != origin.experiment || row[kGitRev] != origin.git_rev ||
        row[kInputSeed] != seed)
      continue;
    const auto parsed = parse(row);
    if (!parsed) continue;
    noted_.insert(*parsed);
    content += csv_record(row);
  }
  NextContent next(path_, content, held.mode());
  file_ = next.take_place();
}

bool VerifiedOutputs::has(const Output& output, const Checksum& checksum) const {
  const auto [first, last] = noted_.equal_range(output);
  return std::any_of(first, last, [&](const auto& one) { return one.second == checksum; });
}

void VerifiedOutputs::note(const Output& output, const Checksum& checksum) {
  append(file_, csv_record(row_of(origin_, output, checksum)), path_);
  noted_.emplace(output, checksum);
}

}  // namespace bench
