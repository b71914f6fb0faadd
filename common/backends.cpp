#include "backends.h"

namespace bench {

std::vector<std::unique_ptr<Backend>> all_backends() {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(cuda::make_backend());
  backends.push_back(vulkan::make_backend());
  return backends;
}

}  // namespace bench
