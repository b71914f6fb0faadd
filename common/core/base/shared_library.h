// A library that is opened at run time: a machine without it runs all that does not need it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench {

class SharedLibrary {
 public:
  enum class AtEnd : std::uint8_t {
    kClose,
    kStay,  // it leaves threads, callbacks or state on the GPU behind
  };

  SharedLibrary() = default;
  // The first of these that the loader finds, names or paths; false where it finds none.
  SharedLibrary(const std::vector<std::string>& candidates, AtEnd at_end);
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // The function of this name; nullptr without a library, or where it has none.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::shared_ptr<void> handle_;
};

}  // namespace bench
