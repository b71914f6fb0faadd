// Kernels of a known length: what do either API's stamps add to it?
#pragma once

#include "core/experiment/experiment.h"

std::vector<bench::Case> ruler_cases(const bench::Plan& plan);
// What the ruler measures beside its times.
std::vector<bench::Column> ruler_columns();
