// RFC 4180 records: writing (quoted where needed) and reading back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

using CsvRow = std::vector<std::string>;

// One field: quoted when it holds a comma, a quote, CR or LF; quotes doubled.
std::string csv_field(std::string_view value);
// One record with its line end. The line end is LF, as Unix tools expect; RFC 4180's CRLF is accepted when reading.
std::string csv_record(const CsvRow& row);

// Every complete record of `text`. A last record without a line end is left out: it was cut short.
std::vector<CsvRow> parse_csv(std::string_view text);
// What stands behind them.
std::string_view unfinished(std::string_view text);

// A figure for a CSV cell: up to six significant digits, "" for anything that is not finite.
std::string csv_number(double value);

}  // namespace bench
