// How much of the L2 a kernel has: the same places read over and over, in windows of more and more bytes.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"

std::vector<bench::Case> window_cases(const bench::Plan& plan);
