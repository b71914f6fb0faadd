#include "compile/scratch.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/base/error.h"

namespace bench::own {

Scratch::Scratch() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) {
    const char* const named = std::getenv("TMPDIR");
    throw Error("no folder for temporary files: {}: {} (TMPDIR names another)", named != nullptr ? named : "/tmp",
                error.message());
  }
  std::string name = (folder / "own_kernel-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("no folder {}: {}", name, std::strerror(errno));
  path_ = name;
}

Scratch::~Scratch() noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bench::own
