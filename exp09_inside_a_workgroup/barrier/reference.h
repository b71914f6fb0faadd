// What the kernels must compute, plainly.
#pragma once

#include "core/experiment/workbench.h"
#include "variants.h"

// What thread `thread` has after `steps` steps: a word that has passed through the group's threads, `shift` farther each step,
// and become one more each time.
std::uint32_t exchanged(std::uint32_t thread, std::uint32_t group, std::uint32_t shift, std::uint32_t steps);
// Of the report that a launch has left. Throws Error if a thread gave up.
double cycles_of_a_step(bench::Workbench& bench, const bench::Buffer& report, const Config& config);
// Compares what one launch left with what it must have left. Throws Error.
void check(bench::Workbench& bench, const bench::Buffer& result, const bench::Buffer& report, const Config& config);
