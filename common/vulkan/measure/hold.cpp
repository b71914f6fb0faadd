#include "vulkan/measure/hold.h"

#include <chrono>

namespace bench::vulkan {
namespace {

// A thousand submissions of 5 us each are 5 ms.
constexpr std::chrono::milliseconds kBound{100};

vk::raii::Semaphore make_timeline(const Context& context) {
  const vk::SemaphoreTypeCreateInfo type{.semaphoreType = vk::SemaphoreType::eTimeline};
  return BENCH_VK(context.device().createSemaphore({.pNext = &type}));
}

}  // namespace

Hold::Hold(const Context& context) : context_(context), semaphore_(make_timeline(context)) {}

Hold::Scope::Scope(Hold& hold) : hold_(hold) {
  ++hold_.value_;
  bound_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    if (released_.wait_for(lock, kBound, [this] { return is_signaled_; })) return;
    is_over_ = true;
    signal();
  });
}

Hold::Scope::~Scope() noexcept {
  release();
  bound_.join();
}

vk::SemaphoreSubmitInfo Hold::Scope::wait() const {
  return {.semaphore = *hold_.semaphore_, .value = hold_.value_, .stageMask = vk::PipelineStageFlagBits2::eAllCommands};
}

bool Hold::Scope::release() {
  const std::scoped_lock lock(mutex_);
  if (!is_signaled_) signal();
  released_.notify_one();
  return !is_over_;
}

// With the lock.
void Hold::Scope::signal() noexcept {
  is_signaled_ = true;
  try {
    hold_.context_.device().signalSemaphore({.semaphore = *hold_.semaphore_, .value = hold_.value_});
  } catch (const vk::SystemError&) {  // a lost device waits for nothing any more
  }
}

}  // namespace bench::vulkan
