// Threads that compile Vulkan kernels: a driver takes up to a second for one of these, and the GPU some milliseconds.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/device/device.h"

class Compilers {
 public:
  struct Job {
    std::size_t number = 0;  // whoever asked knows it by
    bench::KernelSpec spec;
  };
  struct Compiled {
    std::size_t number = 0;
    std::unique_ptr<bench::Kernel> kernel;  // nullptr: `reason`
    bool is_skipped = false;                // the device lacks what it needs; else the driver failed
    std::string reason = {};
    double seconds = 0;
  };

  // A Vulkan device, which outlives this object.
  Compilers(const bench::Device& device, std::size_t threads);
  Compilers(const Compilers&) = delete;
  Compilers& operator=(const Compilers&) = delete;
  // Waits for the kernels in hand.
  ~Compilers() noexcept;

  std::size_t threads() const { return threads_.size(); }
  void add(Job job);
  // Of what was added: not taken by a thread yet.
  std::size_t waiting() const;
  // Waiting or in hand.
  std::size_t unfinished() const;
  // Leaves out what no thread has begun, and what is in hand when it is done.
  void forget();
  // Until no thread has anything in hand; false after so many seconds.
  bool wait(double seconds);
  // The next that is done, in whatever order; nothing after so many seconds.
  std::optional<Compiled> take(double seconds);

 private:
  void work();
  Compiled compile(const Job& job) const;

  const bench::Device& device_;
  mutable std::mutex mutex_;
  std::condition_variable has_job_;
  std::condition_variable has_result_;
  std::deque<Job> jobs_;
  std::deque<Compiled> done_;
  std::size_t busy_ = 0;     // threads
  std::size_t in_hand_ = 0;  // of them, with what has not been forgotten
  std::size_t era_ = 0;      // forget() begins another
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};
