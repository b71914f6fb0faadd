// What the columns of a result file are, and the values that a row sets in them: by name, never by position.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/csv.h"
#include "core/base/stats.h"

namespace bench {

inline constexpr std::uint32_t kCsvSchema = 2;

enum class ColumnType : std::uint8_t { kInteger, kReal, kText };
constexpr std::string_view to_string(ColumnType type) {
  constexpr std::string_view kNames[] = {"integer", "real", "text"};
  return kNames[static_cast<std::size_t>(type)];
}

enum class ColumnRole : std::uint8_t { kIdentity, kParam, kModel, kCase, kTime, kMeasured, kOrigin };
constexpr std::string_view to_string(ColumnRole role) {
  constexpr std::string_view kNames[] = {"identity", "param", "model", "case", "time", "measured", "origin"};
  return kNames[static_cast<std::size_t>(role)];
}

struct Column {
  std::string name;
  ColumnType type = ColumnType::kText;
  std::string unit;  // as a person reads it: "ns", "bytes", "threads"; "" of texts and bare numbers
  std::string meaning;
  bool is_optional = false;   // a row may leave it empty
  bool has_interval = false;  // stands for three columns: X, X_lo and X_hi
  bool is_key = false;        // with the other keys it tells a row from every other
  ColumnRole role{};          // in a file: see FileColumns

  static Column integer(std::string_view name, std::string_view unit, std::string_view meaning);  // whole, 0 or more
  static Column real(std::string_view name, std::string_view unit, std::string_view meaning);
  static Column text(std::string_view name, std::string_view meaning);
  // The same column, for what does not apply to every variant.
  Column optional() const { return with(&Column::is_optional); }
  // The same column with an interval.
  Column interval() const { return with(&Column::has_interval); }
  // The same column as a key.
  Column key() const { return with(&Column::is_key); }

 private:
  Column with(bool Column::*flag) const;
};

// A figure and its interval; none where there were too few readings for one.
struct Estimate {
  double value = 0;
  std::optional<Interval> bounds = {};
};

// What stands in a cell: a whole number, a real one, a figure with its interval, a text; or nothing, where it does not apply or
// was not measured. An empty text, nan and the infinities are nothing, too.
class Value {
 public:
  // NOLINTBEGIN(google-explicit-constructor): values are written down in lists: {{"block", 256}, {"mode", "graph"}}
  Value() = default;
  template <std::unsigned_integral Number>
  Value(Number number) : content_(static_cast<std::uint64_t>(number)) {}
  Value(int number);  // a literal. Throws Error if it is negative
  Value(double number);
  Value(const Estimate& figure);
  Value(const Summary& summary) : Value(Estimate{summary.median, summary.ci95}) {}
  Value(std::string_view text);
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(const char* text) : Value(std::string_view(text)) {}
  template <class Inner>
  Value(const std::optional<Inner>& inner) : Value(inner ? Value(*inner) : Value()) {}
  Value(bool) = delete;
  // NOLINTEND(google-explicit-constructor)

  bool empty() const { return std::holds_alternative<std::monostate>(content_); }
  // Of a real number; nothing for all else.
  std::optional<double> real() const;
  // As a CSV spells it; an interval's ends are left out.
  std::string text() const;
  // The cells of a column: one, or three if it has an interval. Throws Error, which says what is wrong, unless the value is of
  // the column's type: a whole number is a real one, too; a column with an interval wants an Estimate, its ends in order.
  CsvRow cells(const Column& column) const;

 private:
  std::variant<std::monostate, std::uint64_t, double, Estimate, std::string> content_;
};

// `number`, or nothing for 0.
template <std::unsigned_integral Number>
std::optional<Number> unless_zero(Number number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

// Values by the names of their columns, in any order.
class Values {
 public:
  using Named = std::pair<std::string, Value>;

  Values() = default;
  Values(std::initializer_list<Named> values) : values_(values) {}

  Values& set(std::string_view column, const Value& value);
  Values& set(const Values& more);
  const Value* find(std::string_view column) const;  // null: not set
  // As a CSV spells it; "" for nothing and for what is not set.
  std::string text(std::string_view column) const;
  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<Named> values_;
};

// Several readings of the same values: the medians of those that are real numbers in each, all others as in the first. There is
// one at least.
Values median_of(std::span<const Values> readings);

// Throws Error, which names the column, if a value is unknown, set twice or ill-typed, or if one is missing that is not
// optional.
void check_values(const Values& values, std::span<const Column> columns);

// The columns of one CSV file, in its order.
class FileColumns {
 public:
  // Puts columns of this role behind those that are there. Parameters are keys; columns of the model, of times and of what is
  // measured are optional, for a case may have no model, and a row that is not ok has measured nothing. Throws Error if two
  // columns have one name.
  void add(ColumnRole role, std::vector<Column> columns);

  const std::vector<Column>& columns() const { return columns_; }
  const CsvRow& header() const { return header_; }
  // A whole row. Throws what check_values() does.
  CsvRow row(const Values& values) const;
  // The keys' cells, of a row in this order and of values, as one text.
  std::string key(const CsvRow& row) const;
  std::string key(const Values& values) const;
  // Throws Error, which names the column, for a record that no program wrote: a number that is none, an unknown status, an
  // interval beside its figure. benchlib/results/schema.py checks the same (scripts/tests/fixtures/cells.csv).
  void check(const CsvRow& row) const;
  // A row's cell. Throws Error if there is no such column.
  const std::string& cell(const CsvRow& row, std::string_view column) const;

 private:
  std::vector<Column> columns_;
  CsvRow header_;
};

// All that an experiment's files have in their columns: the one place that knows their order.
struct Schema {
  // What an experiment has of its own.
  struct Own {
    std::string_view experiment;
    std::vector<Column> params;
    std::vector<Column> model;
    std::vector<Column> measured;
  };
  // Throws Error if two columns have one name.
  explicit Schema(const Own& own);

  std::string experiment;
  FileColumns results;
  FileColumns samples;

  // The text of <experiment>.schema.json: {"schema", "experiment", "columns": [{"name", "role", "type", "unit", "key",
  // "interval", "meaning"}]}, a column with an interval once.
  std::string json() const;
};

}  // namespace bench
