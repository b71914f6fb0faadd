#include "core/base/shared_library.h"

#include <dlfcn.h>

namespace bench {

SharedLibrary::SharedLibrary(const std::vector<std::string>& candidates, AtEnd at_end) {
  for (const std::string& candidate : candidates) {
    void* opened = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) continue;
    handle_ = std::shared_ptr<void>(opened, [at_end](void* handle) {
      if (at_end == AtEnd::kClose) dlclose(handle);
    });
    return;
  }
}

void* SharedLibrary::symbol(const char* name) const { return handle_ != nullptr ? dlsym(handle_.get(), name) : nullptr; }

}  // namespace bench
