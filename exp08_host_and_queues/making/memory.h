// Memory and descriptors: what it takes to get them and to give them back.
#pragma once

#include "core/experiment/experiment.h"

std::vector<bench::Case> memory_cases(const bench::Plan& plan);
