#include "core/base/parallel.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>

namespace bench {
namespace {

// The threads that are kept, and the call that they have in hand. On a host with 64 processors it takes longer to start so many
// threads than to compare a chunk of an output by them.
struct Helpers {
  std::atomic<bool> in_use = false;
  std::uint64_t threads = 0;  // whoever has the call in hand

  std::mutex mutex;
  std::condition_variable wanted;
  std::condition_variable finished;
  const std::function<void(std::uint64_t)>* work = nullptr;
  std::uint64_t next = 0;
  std::uint64_t count = 0;
  std::uint64_t unfinished = 0;
};

// Never destroyed: its threads live longer than any static object.
Helpers& helpers() {
  static auto* const one = new Helpers;
  return *one;
}

// The next piece, if there is one left; `lock` is held before and after it.
bool do_next(Helpers& own, std::unique_lock<std::mutex>& lock) {
  if (own.next == own.count) return false;
  const std::uint64_t piece = own.next++;
  const auto* const work = own.work;
  lock.unlock();
  (*work)(piece);
  lock.lock();
  if (--own.unfinished == 0) own.finished.notify_one();
  return true;
}

[[noreturn]] void serve(Helpers& own) {
  std::unique_lock lock(own.mutex);
  for (;;) {
    if (!do_next(own, lock)) own.wanted.wait(lock);
  }
}

// Where the system gives no more, those that there are take more pieces.
void start_threads(Helpers& own, std::uint64_t wanted) {
  try {
    for (; own.threads < wanted; ++own.threads) std::thread([&own] { serve(own); }).detach();
  } catch (const std::system_error&) {
  }
}

}  // namespace

void run_by_threads(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  Helpers& own = helpers();
  if (own.in_use.exchange(true)) {
    for (std::uint64_t i = 0; i < count; ++i) work(i);
    return;
  }
  start_threads(own, count - std::min<std::uint64_t>(count, 1));
  {
    std::unique_lock lock(own.mutex);
    own.work = &work;
    own.next = 0;
    own.count = own.unfinished = count;
    if (count > own.threads) {
      own.wanted.notify_all();
    } else {
      for (std::uint64_t i = 1; i < count; ++i) own.wanted.notify_one();
    }
    while (do_next(own, lock)) {
    }
    own.finished.wait(lock, [&] { return own.unfinished == 0; });
  }
  own.in_use = false;
}

}  // namespace bench
