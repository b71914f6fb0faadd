// What the kernels must compute, plainly.
#pragma once

#include "core/experiment/workbench.h"
#include "core/results/schema.h"
#include "variants.h"

// Fills the launch's data before its first run: a chase's table, or zeros.
void fill(bench::Workbench& bench, bench::Buffer& data, const Config& config);
// Compares what one launch left with what it must have left; throws Error.
void check(bench::Workbench& bench, const bench::Buffer& data, const bench::Buffer& out, const Config& config);
// Before one more launch: fill(), and a poisoned report.
void start_over(bench::Workbench& bench, bench::Buffer& data, bench::Buffer& out, const Config& config);
// What check() compares of a chain's or a message's report; nothing of other shapes, whose outputs have checksums.
void check_report(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
// Message: whether neither block gave up waiting.
bool all_rounds_done(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
// Of the last launch: measured_columns(), those that there are. Throws Error if the launch gave up waiting, or a chain was
// faster than any memory.
bench::Values measure(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
std::vector<bench::Column> measured_columns();
// Words of the output buffer.
std::uint64_t out_words(const Config& config);
