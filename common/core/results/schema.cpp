#include "core/results/schema.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/stats.h"

namespace bench {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: up to here a double holds every whole number

// A figure as an integer column has it; nothing if it is not whole.
std::optional<std::string> whole(double number) {
  if (number < 0 || number > kExactIntegers || number != std::floor(number)) return {};
  return std::to_string(static_cast<std::uint64_t>(number));
}

[[noreturn]] void refuse(const Column& column, std::string_view found) {
  throw Error("column {}: {} is no {}{}", column.name, found, to_string(column.type),
              column.has_interval ? " with an interval" : "");
}

}  // namespace

Column Column::integer(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {std::string(name), ColumnType::kInteger, std::string(unit), std::string(meaning)};
}

Column Column::real(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {std::string(name), ColumnType::kReal, std::string(unit), std::string(meaning)};
}

Column Column::text(std::string_view name, std::string_view meaning) {
  return {std::string(name), ColumnType::kText, "", std::string(meaning)};
}

Column Column::with(bool Column::*flag) const {
  Column column = *this;
  column.*flag = true;
  return column;
}

Value::Value(int number) {
  if (number < 0) throw Error("{} is negative: whole numbers in a row are not", number);
  content_ = static_cast<std::uint64_t>(number);
}

Value::Value(double number) {
  if (std::isfinite(number)) content_ = number;
}

Value::Value(const Estimate& figure) {
  if (std::isfinite(figure.value)) content_ = figure;
}

Value::Value(std::string_view text) {
  if (!text.empty()) content_ = std::string(text);
}

std::optional<double> Value::real() const {
  const auto* number = std::get_if<double>(&content_);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string Value::text() const {
  if (const auto* number = std::get_if<std::uint64_t>(&content_)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&content_)) return csv_number(*number);
  if (const auto* figure = std::get_if<Estimate>(&content_)) return csv_number(figure->value);
  if (const auto* text = std::get_if<std::string>(&content_)) return *text;
  return "";
}

CsvRow Value::cells(const Column& column) const {
  const bool is_integer = column.type == ColumnType::kInteger;
  if (empty()) return CsvRow(column.has_interval ? 3 : 1);
  if (column.has_interval) {
    const auto* figure = std::get_if<Estimate>(&content_);
    const std::optional<std::string> value = figure == nullptr ? std::nullopt
                                             : is_integer      ? whole(figure->value)
                                                               : std::optional(csv_number(figure->value));
    if (!value) refuse(column, text());
    if (!figure->bounds) return {*value, "", ""};
    const auto& [lo, hi] = *figure->bounds;
    if (!(lo <= figure->value && figure->value <= hi)) {
      throw Error("column {}: {} lies outside its interval from {} to {}", column.name, figure->value, lo, hi);
    }
    // A whole end is written in full: rounded to six digits, it might lie on the value's other side.
    const auto end = [&](double number) { return is_integer && whole(number) ? *whole(number) : csv_number(number); };
    return {*value, end(lo), end(hi)};
  }
  const bool is_text = std::holds_alternative<std::string>(content_);
  const bool is_whole = std::holds_alternative<std::uint64_t>(content_);
  const bool is_real = is_whole || std::holds_alternative<double>(content_);
  const bool fits = is_integer ? is_whole : column.type == ColumnType::kReal ? is_real : is_text;
  if (!fits) refuse(column, text());
  if (is_whole && !is_integer) return {csv_number(static_cast<double>(std::get<std::uint64_t>(content_)))};
  return {text()};
}

Values& Values::set(std::string_view column, const Value& value) {
  values_.emplace_back(column, value);
  return *this;
}

Values& Values::set(const Values& more) {
  values_.insert(values_.end(), more.begin(), more.end());
  return *this;
}

const Value* Values::find(std::string_view column) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const Named& one) { return one.first == column; });
  return found == values_.end() ? nullptr : &found->second;
}

std::string Values::text(std::string_view column) const {
  const Value* value = find(column);
  return value == nullptr ? "" : value->text();
}

namespace {

constexpr double kSmallest = 1e-30;  // no figure of a GPU lies beyond
constexpr double kGreatest = 1e30;

bool is_number(std::string_view text, bool is_positive) {
  // from_chars takes nan and inf, too, and what begins as a number.
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return false;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const std::optional<double> number = parse_number<double>(text);
  if (!number) return false;
  const double size = std::abs(*number);
  return (size >= kSmallest && size <= kGreatest && (*number > 0 || !is_positive)) || (size == 0 && !is_positive);
}

bool is_hash(std::string_view text) {
  return text.size() == 12 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// 2026-11-21T09:30:00Z
bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "20dd-dd-ddTdd:dd:ddZ";
  return text.size() == kForm.size() &&
         std::ranges::equal(text, kForm, [](char c, char form) { return form == 'd' ? c >= '0' && c <= '9' : c == form; });
}

bool is_cell(const Column& column, std::string_view text, bool is_whole) {
  if (column.name == "status") return text == "ok" || text == "failed" || text == "skipped";
  if (column.name == "api") return text == "cuda" || text == "vulkan";
  if (column.name == "started_at") return is_time(text);
  if (text.empty() || column.type == ColumnType::kText)
    return (column.name != "isa_hash" && column.name != "sources") || text.empty() || is_hash(text);
  return is_whole ? parse_number<std::uint64_t>(text).has_value() : is_number(text, column.role == ColumnRole::kTime);
}

// A figure with both ends around it, or neither end.
bool is_interval(std::span<const std::string> cells) {
  if (cells[1].empty() && cells[2].empty()) return true;
  const auto value = parse_number<double>(cells[0]);
  const auto lo = parse_number<double>(cells[1]);
  const auto hi = parse_number<double>(cells[2]);
  return value && lo && hi && *lo <= *value && *value <= *hi;
}

}  // namespace

Values median_of(std::span<const Values> readings) {
  Values result;
  for (const auto& [name, first] : readings.front()) {
    std::vector<double> numbers;
    for (const Values& one : readings) {
      const Value* value = one.find(name);
      if (const std::optional<double> number = value == nullptr ? std::nullopt : value->real()) numbers.push_back(*number);
    }
    result.set(name, numbers.size() == readings.size() ? Value(median(numbers)) : first);
  }
  return result;
}

void check_values(const Values& values, std::span<const Column> columns) {
  std::set<std::string_view> seen;
  for (const auto& named : values) {
    const std::string_view name = named.first;
    const auto column = std::find_if(columns.begin(), columns.end(), [name](const Column& one) { return one.name == name; });
    if (column == columns.end()) throw Error("column {}: there is none of this name", name);
    if (!seen.insert(name).second) throw Error("column {}: set twice", name);
    named.second.cells(*column);
  }
  for (const Column& column : columns) {
    const Value* value = values.find(column.name);
    if (!column.is_optional && (value == nullptr || value->empty())) throw Error("column {}: not set", column.name);
  }
}

void FileColumns::add(ColumnRole role, std::vector<Column> columns) {
  for (Column& column : columns) {
    column.role = role;
    column.is_key |= role == ColumnRole::kParam;
    column.is_optional |= role == ColumnRole::kModel || role == ColumnRole::kTime || role == ColumnRole::kMeasured;
    std::vector<std::string> names = {column.name};
    if (column.has_interval) names.insert(names.end(), {column.name + "_lo", column.name + "_hi"});
    for (const std::string& name : names) {
      if (std::ranges::count(header_, name) != 0) throw Error("two columns are named {}", name);
      header_.push_back(name);
    }
    columns_.push_back(std::move(column));
  }
}

CsvRow FileColumns::row(const Values& values) const {
  check_values(values, columns_);
  CsvRow row;
  for (const Column& column : columns_) {
    const Value* value = values.find(column.name);
    std::ranges::move((value == nullptr ? Value() : *value).cells(column), std::back_inserter(row));
  }
  return row;
}

void FileColumns::check(const CsvRow& row) const {
  std::size_t at = 0;
  for (const Column& column : columns_) {
    const std::span<const std::string> cells(row.data() + at, column.has_interval ? 3 : 1);
    at += cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool is_whole = column.type == ColumnType::kInteger && i == 0;
      if (!is_cell(column, cells[i], is_whole)) throw Error("{} is '{}'", header_[at - cells.size() + i], cells[i]);
    }
    if (cells.size() == 3 && !is_interval(cells)) throw Error("{} and its interval do not belong together", column.name);
  }
}

std::string FileColumns::key(const CsvRow& row) const {
  CsvRow key;
  for (const Column& column : columns_) {
    if (column.is_key) key.push_back(cell(row, column.name));
  }
  return csv_record(key);
}

std::string FileColumns::key(const Values& values) const {
  CsvRow key;
  for (const Column& column : columns_) {
    if (column.is_key) key.push_back(values.text(column.name));
  }
  return csv_record(key);
}

const std::string& FileColumns::cell(const CsvRow& row, std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) throw Error("there is no column {}", column);
  return row.at(static_cast<std::size_t>(found - header_.begin()));
}

Schema::Schema(const Own& own) : experiment(own.experiment) {
  using enum ColumnRole;
  const std::vector<Column> identity = {
      Column::integer("schema", "", "version of this file's format"), Column::text("experiment", "the program's experiment"),
      Column::text("variant", "what is run; see the experiment's variants").key(), Column::text("api", "cuda or vulkan").key()};
  const Column elements = Column::integer("elements", "", "the size of the case").key();
  const Column cache = Column::text("cache", "the L2 before a launch: cold (evicted) or warm").key();
  const Column batch = Column::integer("batch", "launches", "of a sample, back to back").optional();

  results.add(kIdentity, identity);
  results.add(kIdentity, {Column::text("status", "ok, failed (wrong result, error) or skipped (something is missing)"),
                          Column::text("reason", "of a failed or skipped row: why; of an ok one: what limits it").optional()});
  results.add(kParam, own.params);
  results.add(kModel, own.model);
  results.add(kCase, {elements, Column::integer("useful_bytes", "bytes", "read + written by one launch, by formula").optional(),
                      cache, batch, Column::integer("samples", "", "kept").optional()});
  results.add(
      kTime,
      {Column::real("device_ns", "ns", "GPU time of a launch: median and its 95 % interval").interval(),
       Column::real("device_ns_min", "ns", "the least sample"),
       Column::real("device_ns_p05", "ns", "the samples' 5th percentile"),
       Column::real("device_ns_p95", "ns", "the samples' 95th percentile"),
       Column::real("stamps_ns", "ns", "of device_ns: what an empty pair of stamps reads in such a sample, per launch"),
       Column::real("fixed_ns", "ns", "likewise, with launches of an empty kernel between them"),
       Column::real("host_ns", "ns",
                    "of what the host times, and no stamps on the GPU: submit to completed, median and its 95 % interval")
           .interval(),
       Column::real("host_ns_min", "ns", "the least sample"), Column::real("host_ns_p05", "ns", "the samples' 5th percentile"),
       Column::real("host_ns_p95", "ns", "the samples' 95th percentile"),
       Column::integer("ungated_samples", "", "samples whose launches were not all queued before the first one began"),
       Column::integer("throttled_samples", "", "samples of this side that were taken again: the GPU was throttled"),
       Column::real("roundtrip_ns", "ns", "host time of a launch, submit to completed: median"),
       Column::real("submit_ns", "ns", "host time of a launch, submit only: median"),
       Column::real("gbps", "GB/s", "useful_bytes over device_ns, or over host_ns; GB is 10^9"),
       Column::real("peak_pct", "%", "of the memory's theoretical peak; DRAM-size footprints only")});
  results.add(kMeasured, own.measured);
  results.add(
      kOrigin,
      {Column::real("sm_mhz", "MHz", "the SMs' clock while sampling: median").optional(),
       Column::text("stop", "why sampling ended: ci, noise, budget, max_samples, resolution").optional(),
       Column::text("order", "how the sides alternated: A (one side) or ABBA").optional(),
       Column::text("run", "full, quick (a coarse sweep) or smoke (a test, no figures worth keeping)"),
       Column::integer("seed", "", "of the orders of samples and of cases"), Column::integer("input_seed", "", "of the input"),
       Column::text("case_order", "of the cases of a run: listed, or random, drawn from the seed"),
       Column::text("verified",
                    "the output: full (read back and compared), checksum (as that of a full one) or nothing (there is none)")
           .optional(),
       Column::integer("remade", "", "times that the output was made anew after the samples, with the same checksum")
           .optional(),
       Column::text("isa_hash", "a hash of the machine code that was timed").optional(),
       Column::text("gpu", "the device's name").optional(), Column::text("gpu_uuid", "the device's UUID").optional(),
       Column::text("device_type", "cpu (no GPU: its times say nothing), integrated (in the host's memory) or gpu").optional(),
       Column::text("driver", "its driver's version").optional(),
       Column::text("toolkit", "what compiled the kernels").optional(),
       Column::text("sources", "a hash of the sources that measure: rows of one hash belong together, whatever their commit")
           .optional(),
       Column::text("git_rev", "the commit that the program was built from"),
       Column::integer("device_losses", "", "times that this case lost the device, resumed runs included").optional(),
       Column::text("started_at", "UTC, ISO 8601")});

  samples.add(kIdentity, identity);
  samples.add(kParam, own.params);
  samples.add(kCase, {elements, cache, batch, Column::integer("position", "", "of the sample among both sides'")});
  samples.add(kTime, {Column::real("device_ns", "ns", "GPU time of a launch"),
                      Column::real("roundtrip_ns", "ns", "host time of a launch, submit to completed"),
                      Column::real("submit_ns", "ns", "host time of a launch, submit only")});
  samples.add(kOrigin, {Column::real("sm_mhz", "MHz", "the SMs' clock").optional()});
}

std::string Schema::json() const {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const Column& column : results.columns()) {
    columns.push_back({{"name", column.name},
                       {"role", to_string(column.role)},
                       {"type", to_string(column.type)},
                       {"unit", column.unit},
                       {"key", column.is_key},
                       {"interval", column.has_interval},
                       {"meaning", column.meaning}});
  }
  const nlohmann::ordered_json whole = {{"schema", kCsvSchema}, {"experiment", experiment}, {"columns", columns}};
  return whole.dump(1) + '\n';
}

}  // namespace bench
