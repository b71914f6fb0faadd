// Keeps a sample's submissions off the GPU until the last of them is made, so that GPU time has nothing of the host's pace.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "vulkan/api/context.h"

namespace bench::vulkan {

// A timeline semaphore that the host signals. One submission alone needs no hold: the queue gets it whole.
class Hold {
 public:
  // `context` has timeline semaphores (VulkanChoice::timeline).
  explicit Hold(const Context& context);

  // While it lives, submissions that wait for it wait. A driver whose queue is full blocks the host, which then never comes to
  // the release: so the time is bounded. Ends with the release, whatever is thrown.
  class Scope {
   public:
    explicit Scope(Hold& hold);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() noexcept;

    // What the first submission to each queue waits for, and with it all that goes to that queue later (Vulkan 1.3,
    // vkQueueSubmit2: a semaphore's wait includes what comes later in submission order).
    vk::SemaphoreSubmitInfo wait() const;
    // Lets them go. Whether they had been held until now.
    bool release();

   private:
    void signal() noexcept;

    Hold& hold_;
    std::mutex mutex_;
    std::condition_variable released_;
    bool is_signaled_ = false;
    bool is_over_ = false;  // the bound
    std::thread bound_;
  };

 private:
  const Context& context_;
  vk::raii::Semaphore semaphore_;
  std::uint64_t value_ = 0;
};

}  // namespace bench::vulkan
