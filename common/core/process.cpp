#include "core/process.h"

#include <chrono>
#include <csignal>
#include <iostream>

namespace bench {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
void on_signal(int /*signal*/) { g_interrupted = 1; }

}  // namespace

void note_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

void say(const std::string& line) { std::cerr << line << std::endl; }

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace bench
