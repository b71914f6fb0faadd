// Owner of a POSIX file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace bench {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int raw) noexcept : raw_(raw) {}
  FileDescriptor(FileDescriptor&& other) noexcept : raw_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~FileDescriptor() noexcept {
    if (raw_ >= 0) close(raw_);
  }

  int handle() const noexcept { return raw_; }
  // The caller's from now on.
  int release() noexcept { return std::exchange(raw_, -1); }

 private:
  int raw_ = -1;
};

}  // namespace bench
