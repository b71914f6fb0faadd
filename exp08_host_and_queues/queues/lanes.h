// Where work is handed in so that it may run beside other work: CUDA's streams, Vulkan's queues.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/experiment/workbench.h"

enum class Lane : std::uint8_t {
  kFirst,     // CUDA: a stream. Vulkan: the compute queue
  kSecond,    // CUDA: another stream. Vulkan: a second queue of the same family
  kTransfer,  // CUDA: the other stream, whose copies go to an engine. Vulkan: a queue of a family with transfers alone
  kGraphics,  // Vulkan: a queue of a family with graphics
};

// Work that is ready to be handed in again and again, one at a time.
class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  virtual void ready() {}  // ahead of each submission, and out of what is timed
  virtual void submit() = 0;
  virtual void wait() = 0;  // polls
};

class Lanes : public bench::Kept {
 public:
  // Kernel and buffers outlive the job. Throw Skip with what the device lacks.
  virtual std::unique_ptr<Job> launch(Lane lane, const bench::Launch& launch) = 0;
  // The first bytes of pinned memory, incompressible_word(i) in word i, to the beginning of a buffer.
  virtual std::unique_ptr<Job> upload(Lane lane, const bench::Buffer& to, std::uint64_t bytes) = 0;
};

// `ranked`: the second lane goes before the first, as far as the API can say so.
std::unique_ptr<Lanes> cuda_lanes(bench::Device& device, bool ranked);
// A device that was opened with VulkanChoice::ranked_queues has ranked ones.
std::unique_ptr<Lanes> vulkan_lanes(bench::Device& device);

// Of kPinnedBytes, into which every upload reaches.
inline constexpr std::uint64_t kPinnedBytes = 64ULL << 20;
void fill_pinned(std::span<std::byte> memory);
