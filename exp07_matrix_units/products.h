// The second part: products of matrices, from the plainest kernel to the vendor's library.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"

std::vector<bench::Column> product_columns();

std::vector<bench::Case> product_cases(const bench::Plan& plan);
