// CPU reference: every row of the output.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "params.h"
#include "sides.h"

using Row = std::array<std::uint32_t, EXP08_LANES>;

// Of a chain whose links overwrite, ahead of each launch.
std::vector<Row> rows_before(const Config& config);
std::vector<Row> expected_rows(const Config& config);
// How many rows are not as they should be.
std::uint32_t wrong_rows(std::span<const Row> found, std::span<const Row> expected);
