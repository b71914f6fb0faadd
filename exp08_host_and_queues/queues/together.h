// Two pieces of work that are handed in one after the other: do they run at once, and which goes first?
#pragma once

#include "core/experiment/experiment.h"

std::vector<bench::Case> together_cases(const bench::Plan& plan);
std::vector<bench::Column> together_columns();
