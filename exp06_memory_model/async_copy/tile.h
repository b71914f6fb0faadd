// The tile that goes out of a tensor and back: the whole program, and what comes of leaving out one of its fences or waits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"

// Columns that only these cases fill.
std::vector<bench::Column> tile_columns();

struct TileCase {
  std::string_view left_out;   // "": nothing
  std::uint32_t pressure = 0;  // see params.h
  std::uint32_t instances = 0;
  bool must_be_right = false;  // although something is left out: for a test of verification itself

  bool verified() const { return left_out.empty() || must_be_right; }
};

// The whole program, then what may be left out without a hang or a fault, the riskiest last.
std::vector<TileCase> tile_cases(bool few);

// Throws Error if a verified program leaves a wrong word anywhere in the tensors.
bench::Prepared set_up_tile(bench::Workbench& bench, const TileCase& one);
