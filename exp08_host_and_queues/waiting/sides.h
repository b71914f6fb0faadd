// The experiment's table in code: how the host waits for a kernel of known length, by either API.
#pragma once

#include <cstdint>
#include <memory>

#include "core/experiment/experiment.h"
#include "params.h"

enum class WaitMethod : std::uint8_t {
  kPoll,        // CUDA: cudaStreamQuery again and again. Vulkan: vkGetFenceStatus
  kSleep,       // CUDA: cudaStreamSynchronize, scheduled blocking. Vulkan: vkWaitForFences
  kObject,      // CUDA: cudaEventSynchronize of an event that blocks. Vulkan: vkWaitSemaphores of a timeline semaphore
  kPollObject,  // CUDA: cudaEventQuery again and again. Vulkan: vkGetSemaphoreCounterValue of a timeline semaphore
  kFlag,        // both: a word of the host's memory that the kernel writes last
  kSpin,        // CUDA: cudaStreamSynchronize, scheduled to spin
  kYield,       // CUDA: the same, scheduled to yield
};

// One submission and one wait at a time.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // Until the host knows that the kernel is done. Throws Error.
  virtual void submit() = 0;
  virtual void wait() = 0;
  // Untimed, after wait(): until the API knows it, too.
  virtual void settle() = 0;
};

std::unique_ptr<Waiter> vulkan_waiter(bench::Workbench& bench, WaitMethod way, const bench::Launch& launch,
                                      const TaskParams& params);
std::unique_ptr<Waiter> cuda_waiter(bench::Workbench& bench, WaitMethod way, const bench::Launch& launch,
                                    const TaskParams& params);

// Polls until the word holds the value. Throws Error after two seconds.
void poll_flag(const volatile std::uint32_t* flag, std::uint32_t value);
