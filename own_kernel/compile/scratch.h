// A folder for files that nobody asked for.
#pragma once

#include <filesystem>
#include <string>

namespace bench::own {

// Gone with all that is in it.
class Scratch {
 public:
  // Throws Error where the system's folder for temporary files cannot be written to.
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() noexcept;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace bench::own
