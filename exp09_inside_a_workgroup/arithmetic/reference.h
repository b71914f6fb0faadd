// What the kernels must compute, plainly, and how far from it they are.
#pragma once

#include <cstdint>

#include "core/experiment/workbench.h"
#include "variants.h"

// Of one function: what it is with infinitely many digits (in double), of the numbers as the kernel gets them.
double exact(std::uint32_t function, float x, float y);
// How far `found` lies from `wanted`, in units of the last place of the nearest float. Infinite where it is no number.
double ulps(float found, double wanted);
// What a thread leaves after all steps of a branch or a loop.
std::uint32_t branched(const Config& config, std::uint32_t thread);
std::uint32_t looped(const Config& config, std::uint32_t thread);
// Of `terms` numbers, as CUDA and GLSL write it down.
float compensated_sum(const bench::Workbench& bench, std::uint32_t thread, std::uint32_t threads, std::uint32_t terms);

// Compares what one launch left with what it must have left, and returns measured_columns(), those that there are. Throws
// Error.
bench::Values check(bench::Workbench& bench, const bench::Buffer& out, const Config& config);
std::vector<bench::Column> measured_columns();
