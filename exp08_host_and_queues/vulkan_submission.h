// One command buffer for one queue of a device that may have several.
#pragma once

#include "vulkan/api/context.h"

class Submission {
 public:
  // `expected_s`: what it should take at most on a GPU that is slow. `queue` belongs to the context, or to what outlives this.
  Submission(const bench::vulkan::Context& context, const vk::raii::Queue& queue, std::uint32_t family, double expected_s);
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;
  ~Submission();

  // Recorded anew, submitted as often as one likes, one at a time.
  const vk::raii::CommandBuffer& begin();
  void end();
  void submit();
  // Polls, or lets the CPU go.
  void wait(bool sleeps);

 private:
  const bench::vulkan::Context& context_;
  const vk::raii::Queue& queue_;
  double expected_s_;
  vk::raii::CommandPool pool_;
  vk::raii::CommandBuffer commands_;
  vk::raii::Fence fence_;
  bool in_flight_ = false;
};
