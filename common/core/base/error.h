// How the suite fails: Error (this case cannot go on), Skip (this machine lacks something), DeviceLost (no case can),
// UsageError (the command line).
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace bench {

// What they have in common: a text, which may be formatted.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class... Args>
  explicit Failure(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

// A case that went wrong: the row's status becomes `failed`, with what() as its reason, and the program exits 1.
class Error : public Failure {
 public:
  using Failure::Failure;
};

// The device has too little free memory for one allocation. An Error of its own, so that callers can name the sizes.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// A feature that this machine lacks: the row's status becomes `skipped`, with what() as its reason.
class Skip : public Failure {
 public:
  using Failure::Failure;
};

// The GPU is gone for this process: a fault, a reset, or work that does not come back. The row in hand becomes `failed` with
// what() as its reason, and the program ends (kDeviceLost). Not an Error: whoever catches one goes on with the device.
class DeviceLost : public std::runtime_error {
 public:
  // What such a reason begins with.
  static constexpr const char* kPrefix = "device lost: ";
  template <class... Args>
  explicit DeviceLost(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(kPrefix + fmt::format(format, std::forward<Args>(args)...)) {}
};

// A signal asked the program to stop (see process.h): the case in hand is left, and no row written.
struct Interrupted {};

// A command line that cannot be obeyed: one line on stderr, exit code 2, nothing written.
class UsageError : public Failure {
 public:
  using Failure::Failure;
};

}  // namespace bench
