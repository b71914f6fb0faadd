#include "compilers.h"

#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/process.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

Compilers::Compilers(const bench::Device& device, std::size_t threads) : device_(device) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Compilers::~Compilers() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    jobs_.clear();
  }
  has_job_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Compilers::add(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  has_job_.notify_one();
}

std::size_t Compilers::waiting() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.size();
}

std::size_t Compilers::unfinished() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.size() + in_hand_ + done_.size();
}

void Compilers::forget() {
  const std::scoped_lock lock(mutex_);
  jobs_.clear();
  done_.clear();
  in_hand_ = 0;
  ++era_;
}

bool Compilers::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return has_result_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return busy_ == 0; });
}

std::optional<Compilers::Compiled> Compilers::take(double seconds) {
  std::unique_lock lock(mutex_);
  if (!has_result_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !done_.empty(); }))
    return std::nullopt;
  Compiled first = std::move(done_.front());
  done_.pop_front();
  return first;
}

void Compilers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_job_.wait(lock, [this] { return is_over_ || !jobs_.empty(); });
    if (is_over_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    const std::size_t era = era_;
    ++in_hand_;
    ++busy_;
    lock.unlock();
    Compiled result = compile(job);
    lock.lock();
    --busy_;
    has_result_.notify_all();
    if (era != era_) continue;
    --in_hand_;
    done_.push_back(std::move(result));
  }
}

// Not by Device::load(), whose Deadline is for the program's own thread.
Compilers::Compiled Compilers::compile(const Job& job) const {
  Compiled result{.number = job.number, .kernel = nullptr};
  const double began_s = bench::now_s();
  try {
    result.kernel = std::make_unique<bench::vulkan::ComputePipeline>(bench::vulkan::context_of(device_), device_.own(job.spec));
  } catch (const bench::Skip& skip) {
    result.is_skipped = true;
    result.reason = skip.what();
  } catch (const std::exception& error) {
    result.reason = error.what();
  }
  result.seconds = bench::now_s() - began_s;
  return result;
}
