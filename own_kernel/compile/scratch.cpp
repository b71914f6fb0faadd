#include "compile/scratch.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/base/error.h"

namespace bench::own {

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "own_kernel-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("no folder {}: {}", name, std::strerror(errno));
  path_ = name;
}

Scratch::~Scratch() noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bench::own
