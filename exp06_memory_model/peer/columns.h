// The CSV columns that this program measures itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

inline const std::vector<std::string> kMeasured = {"link_gbps",     "link_pct",       "latency_ns",    "latency_ns_lo",
                                                   "latency_ns_hi", "seen",           "polls",         "seen_ns",
                                                   "wrong_words",   "wrong_words_lo", "wrong_words_hi"};

// One cell a column; those not named are empty. Throws Error for a name that is no column.
using Cell = std::pair<std::string_view, double>;
std::vector<std::string> cells(const std::vector<Cell>& values);
