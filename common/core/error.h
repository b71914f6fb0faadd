// How the suite fails: Error (this case cannot go on), Skip (this machine lacks something), UsageError (the command line).
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace bench {

// A case that went wrong: the row's status becomes `failed`, with what() as its reason, and the program exits 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

// The device has too little free memory for one allocation. An Error of its own, so that callers can name the sizes.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// A feature that this machine lacks: the row's status becomes `skipped`, with what() as its reason.
class Skip : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class... Args>
  explicit Skip(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

// A command line that cannot be obeyed: one line on stderr, exit code 2, nothing written.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class... Args>
  explicit UsageError(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

}  // namespace bench
