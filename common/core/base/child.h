// A program as a child process, with a time limit: whatever it does, this process goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct ChildEnd {
  int exit_code = 0;        // 127: there is no such program
  int signal = 0;           // that ended it; 0: none
  bool timed_out = false;   // it was killed at its limit, with all that it had started
  std::string output = {};  // stdout and stderr: all of it, or the first and the last half MiB

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
  // "ended with exit code 2", "was ended by signal 11 (Segmentation fault)", "did not end within 60 s and was killed".
  std::string words() const;
  double limit_s = 0;
};

// Runs command[0], found by PATH, with the other words as its arguments and nothing to read. Throws Error where no process can
// be made, Interrupted if a signal asks this program to stop; the child has ended then.
ChildEnd run_child(const std::vector<std::string>& command, double limit_s);

// Runs `body` in a copy of this process, whose output is what `body` returns, or what it throws (exit code 1), behind what it
// says, if that is wanted. Only before anything else runs in other threads of this process, and before a GPU is opened.
enum class Says : std::uint8_t { kHere, kToOutput };  // on stdout and stderr
ChildEnd run_in_child(const std::function<std::string()>& body, double limit_s, Says says = Says::kHere);

}  // namespace bench
