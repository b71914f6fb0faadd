#include "core/results/schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/base/stats.h"

namespace bench {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: up to here a double holds every whole number

std::string plain(std::uint64_t number) { return std::to_string(number); }

// A figure as an integer column has it; nothing if it is not whole.
std::optional<std::string> whole(double number) {
  if (number < 0 || number > kExactIntegers || number != std::floor(number)) return {};
  return plain(static_cast<std::uint64_t>(number));
}

[[noreturn]] void refuse(const Column& column, std::string_view found) {
  throw Error("column {}: {} is no {}{}", column.name, found, to_string(column.type),
              column.has_interval ? " with an interval" : "");
}

std::vector<PlacedColumn> place(ColumnRole role, const std::vector<Column>& columns) {
  std::vector<PlacedColumn> placed;
  for (const Column& column : columns) placed.push_back({column, role, role == ColumnRole::kParam});
  return placed;
}

PlacedColumn key(ColumnRole role, const Column& column) { return {column, role, true}; }
PlacedColumn plain(ColumnRole role, const Column& column) { return {column, role, false}; }

Column schema_column() { return Column::integer("schema", "", "version of this file's format"); }
Column experiment_column() { return Column::text("experiment", "the program's experiment"); }
Column variant_column() { return Column::text("variant", "what is run; see the experiment's variants"); }
Column api_column() { return Column::text("api", "cuda or vulkan"); }
Column elements_column() { return Column::integer("elements", "", "the size of the case"); }
Column cache_column() { return Column::text("cache", "the L2 before a launch: cold (evicted) or warm"); }
Column batch_column() { return Column::integer("batch", "launches", "of a sample, back to back").optional(); }

std::vector<Column> optional(std::vector<Column> columns) {
  for (Column& column : columns) column.is_optional = true;
  return columns;
}

std::vector<PlacedColumn> result_columns(const Schema::Own& own) {
  const auto add = [](std::vector<PlacedColumn>& to, const std::vector<PlacedColumn>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  using enum ColumnRole;
  std::vector<PlacedColumn> all = {
      plain(kIdentity, schema_column()),
      plain(kIdentity, experiment_column()),
      key(kIdentity, variant_column()),
      key(kIdentity, api_column()),
      plain(kIdentity, Column::text("status", "ok, failed (wrong result, error) or skipped (something is missing)")),
      plain(kIdentity, Column::text("reason", "of a failed or skipped row: why; of an ok one: what limits it").optional()),
  };
  add(all, place(kParam, own.params));
  add(all, place(kModel, optional(own.model)));
  add(all, {
               key(kCase, elements_column()),
               plain(kCase, Column::integer("useful_bytes", "bytes", "read + written by one launch, by formula").optional()),
               key(kCase, cache_column()),
               plain(kCase, batch_column()),
               plain(kCase, Column::integer("samples", "", "kept").optional()),
           });
  add(all,
      place(
          kTime,
          optional({
              Column::real("device_ns", "ns",
                           "GPU time of a launch: median and its 95 % interval; where `stop` begins with host, the host's")
                  .interval(),
              Column::real("device_ns_min", "ns", "the least sample"),
              Column::real("device_ns_p05", "ns", "the samples' 5th percentile"),
              Column::real("device_ns_p95", "ns", "the samples' 95th percentile"),
              Column::real("stamps_ns", "ns", "of device_ns: what an empty pair of stamps reads in such a sample, per launch"),
              Column::real("fixed_ns", "ns", "likewise, with launches of an empty kernel between them"),
              Column::integer("ungated_samples", "", "samples whose launches were not all queued before the first one began"),
              Column::integer("throttled_samples", "", "samples of this side that were taken again: the GPU was throttled"),
              Column::real("roundtrip_ns", "ns", "host time of a launch, submit to completed: median"),
              Column::real("submit_ns", "ns", "host time of a launch, submit only: median"),
              Column::real("gbps", "GB/s", "useful_bytes / device_ns; GB is 10^9"),
              Column::real("peak_pct", "%", "of the memory's theoretical peak; DRAM-size footprints only"),
          })));
  add(all, place(kMeasured, optional(own.measured)));
  add(all, place(kOrigin, optional({
                              Column::real("sm_mhz", "MHz", "the SMs' clock while sampling: median"),
                              Column::text("stop",
                                           "why sampling ended: ci, noise, budget, max_samples, resolution; host before it: "
                                           "the samples are the host's, submit to completed"),
                              Column::text("order", "how the sides alternated: A (one side) or ABBA"),
                          })));
  add(all,
      {
          plain(kOrigin, Column::text("run", "full, quick (a coarse sweep) or smoke (a test, no figures worth keeping)")),
          plain(kOrigin, Column::integer("seed", "", "of the orders of samples and of cases")),
          plain(kOrigin, Column::integer("input_seed", "", "of the input")),
          plain(kOrigin, Column::text("case_order", "of the cases of a run: listed, or random, drawn from the seed")),
          plain(kOrigin,
                Column::text("verified",
                             "the output: full (read back and compared), checksum (as that of a full one) or nothing (there "
                             "is none)")
                    .optional()),
          plain(kOrigin,
                Column::integer("remade", "", "times that the output was made anew after the samples, with the same checksum")
                    .optional()),
          plain(kOrigin, Column::text("isa_hash", "a hash of the machine code that was timed").optional()),
          plain(kOrigin, Column::text("gpu", "the device's name").optional()),
          plain(kOrigin, Column::text("gpu_uuid", "the device's UUID").optional()),
          plain(kOrigin, Column::text("driver", "its driver's version").optional()),
          plain(kOrigin, Column::text("toolkit", "what compiled the kernels").optional()),
          plain(kOrigin, Column::text("git_rev", "the commit that the program was built from")),
          plain(kOrigin,
                Column::integer("device_losses", "", "times that this case lost the device, resumed runs included").optional()),
          plain(kOrigin, Column::text("started_at", "UTC, ISO 8601")),
      });
  return all;
}

std::vector<PlacedColumn> sample_columns(const Schema::Own& own) {
  using enum ColumnRole;
  std::vector<PlacedColumn> all = {plain(kIdentity, schema_column()), plain(kIdentity, experiment_column()),
                                   key(kIdentity, variant_column()), key(kIdentity, api_column())};
  const std::vector<PlacedColumn> params = place(kParam, own.params);
  all.insert(all.end(), params.begin(), params.end());
  for (const PlacedColumn& column : {
           key(kCase, elements_column()),
           key(kCase, cache_column()),
           plain(kCase, batch_column()),
           plain(kCase, Column::integer("position", "", "of the sample among both sides'")),
           plain(kTime, Column::real("device_ns", "ns", "GPU time of a launch").optional()),
           plain(kTime, Column::real("roundtrip_ns", "ns", "host time of a launch, submit to completed").optional()),
           plain(kTime, Column::real("submit_ns", "ns", "host time of a launch, submit only").optional()),
           plain(kOrigin, Column::real("sm_mhz", "MHz", "the SMs' clock").optional()),
       }) {
    all.push_back(column);
  }
  return all;
}

}  // namespace

std::string_view to_string(ColumnType type) {
  return type == ColumnType::kInteger ? "integer" : type == ColumnType::kReal ? "real" : "text";
}

std::string_view to_string(ColumnRole role) {
  switch (role) {
    case ColumnRole::kIdentity:
      return "identity";
    case ColumnRole::kParam:
      return "param";
    case ColumnRole::kModel:
      return "model";
    case ColumnRole::kCase:
      return "case";
    case ColumnRole::kTime:
      return "time";
    case ColumnRole::kMeasured:
      return "measured";
    case ColumnRole::kOrigin:
      return "origin";
  }
  throw Error("no such role");
}

Column Column::integer(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {std::string(name), ColumnType::kInteger, std::string(unit), std::string(meaning)};
}

Column Column::real(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {std::string(name), ColumnType::kReal, std::string(unit), std::string(meaning)};
}

Column Column::text(std::string_view name, std::string_view meaning) {
  return {std::string(name), ColumnType::kText, "", std::string(meaning)};
}

Column Column::optional() const {
  Column column = *this;
  column.is_optional = true;
  return column;
}

Column Column::interval() const {
  Column column = *this;
  column.has_interval = true;
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
  if (const auto* number = std::get_if<std::uint64_t>(&content_)) return plain(*number);
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

FileColumns::FileColumns(std::vector<PlacedColumn> columns)
    : columns_(std::move(columns)), declared_(columns_.begin(), columns_.end()) {
  for (const PlacedColumn& column : columns_) {
    header_.push_back(column.name);
    if (!column.has_interval) continue;
    header_.push_back(column.name + "_lo");
    header_.push_back(column.name + "_hi");
  }
  std::set<std::string_view> names;
  for (const std::string& name : header_) {
    if (!names.insert(name).second) throw Error("two columns are named {}", name);
  }
}

CsvRow FileColumns::row(const Values& values) const {
  check_values(values, declared_);
  CsvRow row;
  for (const Column& column : columns_) {
    const Value* value = values.find(column.name);
    std::ranges::move((value == nullptr ? Value() : *value).cells(column), std::back_inserter(row));
  }
  return row;
}

std::string FileColumns::key(const CsvRow& row) const {
  CsvRow key;
  for (const PlacedColumn& column : columns_) {
    if (column.is_key) key.push_back(cell(row, column.name));
  }
  return csv_record(key);
}

std::string FileColumns::key(const Values& values) const {
  CsvRow key;
  for (const PlacedColumn& column : columns_) {
    if (column.is_key) key.push_back(values.text(column.name));
  }
  return csv_record(key);
}

const std::string& FileColumns::cell(const CsvRow& row, std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) throw Error("there is no column {}", column);
  return row.at(static_cast<std::size_t>(found - header_.begin()));
}

Schema::Schema(const Own& own) : experiment(own.experiment), results(result_columns(own)), samples(sample_columns(own)) {}

std::string Schema::json() const {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const PlacedColumn& column : results.columns()) {
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
