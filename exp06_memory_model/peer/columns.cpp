#include "columns.h"

#include <algorithm>

#include "core/csv.h"
#include "core/error.h"

std::vector<std::string> cells(const std::vector<Cell>& values) {
  std::vector<std::string> row(kMeasured.size());
  for (const auto& [name, value] : values) {
    const auto found = std::find(kMeasured.begin(), kMeasured.end(), name);
    if (found == kMeasured.end()) throw bench::Error("there is no column {}", name);
    row[static_cast<std::size_t>(found - kMeasured.begin())] = bench::csv_number(value);
  }
  return row;
}
