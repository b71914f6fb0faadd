// Which SM runs which block, and which SMs are one GPC's.
#pragma once

#include "variant.h"

// `floats` / 4 threads, a power of two, store 16 bytes each into the window, over and over. Measures the blocks that the SMs
// ran in the last launch.
bench::Prepared set_up_share(bench::Workbench& bench, const Variant& variant, std::uint32_t block, std::uint64_t floats,
                             const ShareWindow& window);

// CUDA alone: clusters of several sizes, whose blocks tell which SMs are one GPC's. Measures that.
bench::Prepared set_up_gpcs(bench::Workbench& bench, std::uint32_t block);

// What the two measure: how many blocks an SM ran (the fewest, the quartiles, the most, and each SM's), and each SM's GPC.
std::vector<bench::Column> share_columns();
