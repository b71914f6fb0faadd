// The program as its shell sees it: exit codes, lines on stderr, and signals that ask it to stop.
#pragma once

#include <chrono>
#include <string>

namespace bench {

enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2, kDeviceLost = 3, kAllSkipped = 77, kInterruptedBySignal = 130 };

// The first SIGINT or SIGTERM is noted, for interrupted() to tell; the second ends the program at once. A file that may not
// grow (RLIMIT_FSIZE) sends no signal: the write that does not fit fails, as on a full disk.
void note_signals();
bool interrupted();
// Throws Interrupted if a signal came: for work that takes long without the sampler, which asks by itself.
void throw_if_interrupted();

// While one lives, the program does not end by a signal or by leave(): what is being written is written whole.
class Unbroken {
 public:
  Unbroken() noexcept;
  Unbroken(const Unbroken&) = delete;
  Unbroken& operator=(const Unbroken&) = delete;
  ~Unbroken() noexcept;
};

// Ends the program without destructors and exit handlers, which would wait for a GPU that does not answer. From any thread, and
// not while an Unbroken of its own lives.
[[noreturn]] void leave(ExitCode code) noexcept;

// One line on stderr: stdout belongs to Google Benchmark's tables and to what was asked for.
void say(const std::string& line);

using HostClock = std::chrono::steady_clock;
// Seconds of it.
double now_s();
double ns_between(HostClock::time_point begin, HostClock::time_point end);

}  // namespace bench
