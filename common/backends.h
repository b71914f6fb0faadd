// Every API, in the order in which experiments take them. A backend more is a line in backends.cpp.
#pragma once

#include <memory>
#include <vector>

#include "cuda/device/backend.h"
#include "vulkan/device/backend.h"

namespace bench {

std::vector<std::unique_ptr<Backend>> all_backends();

}  // namespace bench
