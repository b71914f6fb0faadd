// Which SM runs which block, and which SMs are one GPC's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/experiment/experiment.h"

// `write_share`: `floats` / 4 threads store 16 bytes each, into the whole buffer or over and over into a window of it. Measures
// the blocks that the SMs ran in the last launch.
std::vector<bench::Case> share_cases(std::uint64_t floats);

// `gpc_members`, CUDA alone: clusters of several sizes, whose blocks tell which SMs are one GPC's. Measures that.
bench::Case gpc_case();

// What the two measure: how many blocks an SM ran (the fewest, the quartiles, the most, and each SM's), and each SM's GPC.
std::vector<bench::Column> share_columns();
