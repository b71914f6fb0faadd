// Half of the SMs against half of the addresses: stores and loads of the SMs of one half into granules of one home.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"

// `home_store` and `home_load`: each half and both, each home and both, through memory and in the L2, and once in pages that
// both APIs have. `floats`: of the largest buffer, of which 7/16 are stored to or loaded from.
std::vector<bench::Case> home_cases(std::uint64_t floats);

// What they measure: the halves that their own side has found.
std::vector<bench::Column> home_columns();
