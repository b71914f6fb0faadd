// The program as its shell sees it: exit codes, lines on stderr, and signals that ask it to stop.
#pragma once

#include <string>

namespace bench {

enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2, kAllSkipped = 77, kInterruptedBySignal = 130 };

// SIGINT and SIGTERM no longer end the program: they are noted, for interrupted() to tell.
void note_signals();
bool interrupted();

// One line on stderr: stdout belongs to Google Benchmark's tables and to what was asked for.
void say(const std::string& line);

// Steady seconds.
double now_s();

}  // namespace bench
