// What one launch costs, by itself and in chains: the cases that move no data worth counting.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"

// The empty stamp pair; `empty` and `chain` at 1 to 1000 launches a submission, made anew for each submission and replayed.
std::vector<bench::Case> launch_cases();
