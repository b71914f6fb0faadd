#include "core/base/process.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

#include "core/base/error.h"

namespace bench {
namespace {

// Noted by a handler, asked by any thread: lock-free, see below.
std::atomic<bool> g_interrupted = false;

// Who may go on: an Unbroken, or who ends the program. Lock-free, as a signal's handler needs it.
enum Turn : int { kNobody, kUnbroken, kLeaving };
std::atomic<int> g_turn = kNobody;
std::atomic<bool> g_end_after_unbroken = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// False while an Unbroken lives.
bool take_turn(Turn turn) noexcept {
  int nobody = kNobody;
  return g_turn.compare_exchange_strong(nobody, turn);
}

void on_signal(int /*signal*/) {
  if (!g_interrupted.exchange(true)) return;
  if (take_turn(kLeaving)) {
    _exit(kInterruptedBySignal);
  } else {
    g_end_after_unbroken = true;
  }
}

}  // namespace

void note_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return g_interrupted; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

Unbroken::Unbroken() noexcept {
  while (!take_turn(kUnbroken)) pause();  // another thread is ending the program
}

Unbroken::~Unbroken() noexcept {
  g_turn = kNobody;
  if (g_end_after_unbroken) leave(kInterruptedBySignal);
}

void leave(ExitCode code) noexcept {
  while (!take_turn(kLeaving)) usleep(1000);
  _exit(code);
}

void say(const std::string& line) { std::cerr << line << std::endl; }

double now_s() { return std::chrono::duration<double>(HostClock::now().time_since_epoch()).count(); }

double ns_between(HostClock::time_point begin, HostClock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

}  // namespace bench
