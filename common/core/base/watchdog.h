// What no wait in the program's own thread can do: end it where a driver's call does not return.
//
// A thread of its own looks ten times a second whether the call that the program is in has taken too long, and whether a signal
// has gone unheard. The calls themselves stay as they are, and so does what is timed inside them: no poll is added to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/process.h"

namespace bench {

// Starts the thread, which runs until the process ends: exit handlers wait for GPUs too. Once a process. Without it, no wait is
// bounded.
// From then on: 1.2 s after the first SIGINT or SIGTERM (see note_signals) the program ends, with kInterruptedBySignal, if it
// has not done so itself.
void start_watchdog();

// A Deadline's limit is 20 s, and ten times what the call should take. For the GPU's work another can be set: --timeout.
void set_timeout(std::optional<double> seconds);

enum class WaitFor : std::uint8_t {
  kWork,    // of the GPU
  kDriver,  // which opens a device, or compiles: for work of its own
};

// Lives around calls that may wait for a GPU. If it outlives its limit, the last words are said, and the program ends with one
// line and kDeviceLost: the GPU's context cannot be used any more, nor be taken down without another wait. For one thread, the
// program's. One inside another takes its place.
class Deadline {
 public:
  // `what` outlives the Deadline. `expected_s`: what it should take, from bytes and a bandwidth that is low for any GPU, or
  // from what it took before; 0: a moment.
  explicit Deadline(std::string_view what, double expected_s = 0, WaitFor whom = WaitFor::kWork);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() noexcept;

  std::string_view what() const { return what_; }
  double limit_s() const { return limit_s_; }
  // Which option sets it; empty where none does.
  std::string_view option() const { return whom_ == WaitFor::kWork ? "--timeout" : ""; }
  bool is_over(HostClock::time_point now) const;

 private:
  std::string_view what_;
  WaitFor whom_;
  double limit_s_;
  HostClock::time_point began_;
  const Deadline* outer_;
};

// What is left to do when a Deadline has outlived its limit: to write the row in hand. Called by the watchdog's thread while
// the program's is in that call. At most one lives.
class LastWords {
 public:
  explicit LastWords(std::function<void(const DeviceLost&)> words);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords() noexcept;
};

}  // namespace bench
