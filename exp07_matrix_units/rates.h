// The first part: how fast instructions are, fed from registers.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"

std::vector<bench::Case> rate_cases(const bench::Plan& plan);
