#include "cuda/counters/cupti.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace bench::cuda {
namespace {

// By its name as the linker finds it, then in the toolkits' own folders.
std::vector<std::string> candidates() {
  std::vector<std::string> folders = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0') folders.emplace_back(home);
  }
  folders.emplace_back("/usr/local/cuda");
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
#ifdef __aarch64__
    const char* const target = "/targets/sbsa-linux/lib/";
#else
    const char* const target = "/targets/x86_64-linux/lib/";
#endif
    const std::array<std::string, 3> inside = {"/extras/CUPTI/lib64/", "/lib64/", target};
    for (const std::string& name : {fmt::format("libcupti.so.{}", CUDA_VERSION / 1000), std::string("libcupti.so")}) {
      if (folder.empty()) {
        paths.push_back(name);
        continue;
      }
      for (const std::string& middle : inside) paths.push_back(fmt::format("{}{}{}", folder, middle, name));
    }
  }
  return paths;
}

// The number stands for itself where the library has no words for it.
std::string_view what_to_try(CUptiResult status) {
  switch (status) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "; the driver keeps the GPU's counters from this user: run as root, or load the kernel module with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_INVALID_OPERATION:
      return "; another process may be counting on this GPU (ncu, nsys, DCGM): only one can";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "; a whole GPU is wanted, not a MIG instance";
    default:
      return "";
  }
}

}  // namespace

void fail(CUptiResult status, const std::string& call) {
  throw Error("{}: CUPTI error {}{}", call, static_cast<int>(status), what_to_try(status));
}

Cupti::Cupti() {
  const std::vector<std::string> paths = candidates();
  library_ = SharedLibrary(paths, SharedLibrary::AtEnd::kStay);
  if (library_) return;
  throw Skip("libcupti is wanted to count (the CUDA toolkit's package cuda-cupti), {} is not found, nor under CUDA_HOME or {}",
             paths.front(), "/usr/local/cuda");
}

std::uint32_t Cupti::version() const {
  std::uint32_t version = 0;
  auto* get = library_.function<CUptiResult(std::uint32_t*)>("cuptiGetVersion");
  return get != nullptr && get(&version) == CUPTI_SUCCESS ? version : 0;
}

}  // namespace bench::cuda
