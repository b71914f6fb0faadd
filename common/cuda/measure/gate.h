// Holds the stream until the host has enqueued a sample.
//
// Without it the GPU would pass the start event before the first launch has left the host, and the host's pace would lie
// between the stamps.
//
// While it is shut nothing that waits for the GPU comes back: a launch beyond the queue's depth, a synchronous copy, an
// allocation or its release, code that is loaded at its first launch, local memory that grows; and under
// CUDA_LAUNCH_BLOCKING=1 or a tool that runs one kernel at a time (compute-sanitizer, Nsight Compute) no launch at all. What is
// enqueued behind it is launches, events and waits of kernels and graphs that are on the GPU already. What waits all the same
// waits for the gate's own bound, and the sample is not held whole. Where that goes on with samples of a few calls, launches
// block, and nothing more is held.
#pragma once

#include <cstdint>
#include <utility>

#include "cuda/api/handle.h"
#include "cuda/launch/kernel.h"

namespace bench::cuda {

// Calls that fit into a stream's queue, which is about 1,024 deep, with the gate and the events around them.
inline constexpr std::uint32_t kMostHeldCalls = 1000;
// The longest that it stays shut: a thousand calls of 5 us each are 5 ms.
inline constexpr std::uint32_t kGateBoundNs = 50'000'000;

// Of `calls` on `streams` streams: how many fall to one queue of the device, of which CUDA makes 8 unless it is told otherwise
// (CUDA C++ Programming Guide, CUDA_DEVICE_MAX_CONNECTIONS).
std::uint32_t calls_in_a_queue(std::uint32_t calls, std::uint32_t streams);

// Whether to hold a further sample.
class HoldRecord {
 public:
  bool holds() const { return expired_in_a_row_ < kMostExpired; }
  // Of a sample of so many calls.
  void note(bool expired, std::uint32_t calls) {
    if (calls <= kFewCalls) expired_in_a_row_ = expired ? expired_in_a_row_ + 1 : 0;
  }

 private:
  static constexpr std::uint32_t kFewCalls = 100;  // which no queue is too short for
  static constexpr int kMostExpired = 3;
  int expired_in_a_row_ = 0;
};

// The word that the gate looks at becomes its number, at the latest when this ends.
class Opening {
 public:
  Opening(volatile std::uint32_t* open, std::uint32_t number) : open_(open), number_(number) {}
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() noexcept { *open_ = number_; }
  void open() noexcept { *open_ = number_; }

 private:
  volatile std::uint32_t* open_;
  std::uint32_t number_;
};

class Gate {
 public:
  // Allocates on the current device.
  explicit Gate(ComputeCapability device);

  // One sample's, while it lives: shut until open() or its end.
  class Sample {
   public:
    // Occupies one thread of the GPU until then, and for kGateNs more. Asynchronous.
    Sample(Gate& gate, cudaStream_t stream);
    // Once everything is enqueued, or as much as the queue takes.
    void open() noexcept { opening_.open(); }
    // When the GPU is done: whether it was shut until open(), after so many calls.
    bool was_shut(std::uint32_t calls);

   private:
    Gate& gate_;
    std::uint32_t number_;
    bool holds_;
    Opening opening_;
  };

 private:
  struct Words {
    volatile std::uint32_t open;
    volatile std::uint32_t expired;
  };

  Kernel kernel_;
  PinnedMemory memory_;
  Words* words_ = nullptr;         // as the host sees them
  Words* device_words_ = nullptr;  // as the GPU does
  std::uint32_t number_ = 0;       // the last sample's
  HoldRecord record_;
};

}  // namespace bench::cuda
