// Splitting an index range over the host's threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

// Calls work(i), which throws nothing, once for every i below `count`: by this thread and by others, which sleep until the next
// call. A call within a call, or beside one, is this thread's alone.
void run_by_threads(std::uint64_t count, const std::function<void(std::uint64_t)>& work);

// Calls body(begin, end) on disjoint sub-ranges that cover [0, count), at least `grain` long, from several threads. The first
// exception a body throws is rethrown here.
template <class Body>
void parallel_for(std::uint64_t count, std::uint64_t grain, const Body& body) {
  const std::uint64_t workers = std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(grain, 1), 1,
                                                          std::max(1U, std::thread::hardware_concurrency()));
  const std::uint64_t share = (count + workers - 1) / workers;
  std::vector<std::exception_ptr> errors(workers);
  const auto run = [&](std::uint64_t worker) {
    const std::uint64_t begin = std::min(worker * share, count);
    const std::uint64_t end = std::min(begin + share, count);
    try {
      if (begin < end) body(begin, end);
    } catch (...) {
      errors[worker] = std::current_exception();
    }
  };
  if (workers == 1) {
    run(0);
  } else {
    run_by_threads(workers, run);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace bench
