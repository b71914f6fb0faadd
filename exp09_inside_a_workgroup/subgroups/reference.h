// What the kernels must compute, plainly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/experiment/workbench.h"
#include "variants.h"

// One operation of a whole subgroup: lane l's value becomes what the operation gives it, if it takes part. `even`: the even
// lanes alone do.
void operate(std::uint32_t operation, bool even, std::uint32_t seed, std::span<std::uint32_t> lanes);
// What each lane of a subgroup leaves.
std::vector<std::uint32_t> results(const Config& config, std::uint32_t subgroup, std::uint32_t seed);
