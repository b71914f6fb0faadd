// What the kernels must compute, plainly.
#pragma once

#include "core/experiment/workbench.h"
#include "variants.h"

// Words of a launch's output, without the guard.
std::uint64_t out_words(const Config& config);
// Compares what one launch left with what it must have left; throws Error.
void check(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
