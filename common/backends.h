// Both APIs, in the order in which every experiment takes them.
#pragma once

#include "cuda/device/backend.h"
#include "vulkan/device/backend.h"

namespace bench {

inline std::vector<std::unique_ptr<Backend>> all_backends() {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(cuda::make_backend());
  backends.push_back(vulkan::make_backend());
  return backends;
}

}  // namespace bench
