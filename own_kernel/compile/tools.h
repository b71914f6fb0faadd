// The compilers of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"

namespace bench::own {

struct Tool {
  std::string path;
  std::string version;  // "13.0.88"; "" if it does not tell
};

// nullopt where there is none.
std::optional<Tool> find_nvcc(const Target& target);
std::optional<Tool> find_glslang(const Target& target);
// Folders with CUDA's headers.
std::vector<std::string> cuda_include_folders();

}  // namespace bench::own
