#include "core/base/watchdog.h"

#include <mutex>
#include <thread>
#include <utility>

namespace bench {
namespace {

constexpr std::chrono::milliseconds kLook{100};
// With a look's length, and what else the machine does, less than 2 s from the signal to the end.
constexpr std::chrono::milliseconds kGrace{1200};
constexpr double kLimitS = 20;
constexpr double kLimitPart = 10;

struct Watched {
  std::mutex mutex;
  const Deadline* deadline = nullptr;  // the innermost
  std::function<void(const DeviceLost&)> last_words;
  std::optional<double> limit_s;
};

// Never destroyed: the watchdog lives longer than any static object.
Watched& watched() {
  static auto* const one = new Watched;
  return *one;
}

[[noreturn]] void give_up(const Deadline& deadline) {
  const std::string see = deadline.option().empty() ? "" : fmt::format(" (see {})", deadline.option());
  const DeviceLost lost("{}: not finished after {:.3g} s{}; it may still run, and whatever waits for the GPU waits with it",
                        deadline.what(), deadline.limit_s(), see);
  try {
    if (watched().last_words) watched().last_words(lost);
  } catch (const std::exception& error) {  // a full disk
    say(error.what());
  }
  say(lost.what());
  leave(kDeviceLost);
}

[[noreturn]] void watch() {
  std::optional<HostClock::time_point> heard;
  for (;;) {
    std::this_thread::sleep_for(kLook);
    const HostClock::time_point now = HostClock::now();
    {
      // Held to the end: the program's thread does not get past the end of its wait.
      const std::scoped_lock lock(watched().mutex);
      if (watched().deadline != nullptr && watched().deadline->is_over(now)) give_up(*watched().deadline);
    }
    if (!interrupted()) continue;
    if (!heard) heard = now;
    if (now - *heard < kGrace) continue;
    say("interrupted: the case in hand did not end in time and was left");
    leave(kInterruptedBySignal);
  }
}

}  // namespace

void start_watchdog() { std::thread(watch).detach(); }

void set_timeout(std::optional<double> seconds) { watched().limit_s = seconds; }

Deadline::Deadline(std::string_view what, double expected_s, WaitFor whom)
    : what_(what), whom_(whom), limit_s_(kLimitS + kLimitPart * expected_s), began_(HostClock::now()) {
  if (whom == WaitFor::kWork && watched().limit_s) limit_s_ = *watched().limit_s;
  const std::scoped_lock lock(watched().mutex);
  outer_ = std::exchange(watched().deadline, this);
}

Deadline::~Deadline() noexcept {
  const std::scoped_lock lock(watched().mutex);
  watched().deadline = outer_;
}

bool Deadline::is_over(HostClock::time_point now) const {
  return std::chrono::duration<double>(now - began_).count() > limit_s_;
}

LastWords::LastWords(std::function<void(const DeviceLost&)> words) {
  const std::scoped_lock lock(watched().mutex);
  watched().last_words = std::move(words);
}

LastWords::~LastWords() noexcept {
  const std::scoped_lock lock(watched().mutex);
  watched().last_words = nullptr;
}

}  // namespace bench
