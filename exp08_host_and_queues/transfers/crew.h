// Threads that do a piece of work together, again and again, and sleep in between.
#pragma once

#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

class Crew {
 public:
  // The caller's thread is one of them: one at least.
  explicit Crew(std::uint32_t threads) : begin_(threads), end_(threads) {
    for (std::uint32_t i = 1; i < threads; ++i) others_.emplace_back([this, i] { serve(i); });
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    is_over_ = true;
    begin_.arrive_and_wait();
    for (std::thread& other : others_) other.join();
  }

  std::uint32_t threads() const { return static_cast<std::uint32_t>(others_.size()) + 1; }
  // work(i) by thread i, of all of them; returns when all are done. `work` throws nothing.
  void run(const std::function<void(std::uint32_t)>& work) {
    work_ = &work;
    begin_.arrive_and_wait();
    work(0);
    end_.arrive_and_wait();
  }

 private:
  void serve(std::uint32_t i) {
    for (;;) {
      begin_.arrive_and_wait();
      if (is_over_) return;
      (*work_)(i);
      end_.arrive_and_wait();
    }
  }

  const std::function<void(std::uint32_t)>* work_ = nullptr;  // both are written between two barriers
  bool is_over_ = false;
  std::barrier<> begin_;
  std::barrier<> end_;
  std::vector<std::thread> others_;
};
