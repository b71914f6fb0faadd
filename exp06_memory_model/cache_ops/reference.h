// What the kernels must compute, plainly.
#pragma once

#include "core/experiment/workbench.h"
#include "core/results/schema.h"
#include "variants.h"

// Compares what one launch left with what it must have left; throws Error.
void check(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
// Of a visit to a block's part of the reuse set: measured_columns(). Nothing without one.
bench::Values measure(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
std::vector<bench::Column> measured_columns();
// Words of the output buffer: fill's own words; else a sum a thread, and with a reuse set the cycles of each block.
std::uint64_t out_words(const Config& config);
