// Command buffers, their pool and their fence; and the barriers that everything here uses.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "vulkan/api/context.h"

namespace bench::vulkan {

// The one place that resets fences. At most one submission is in flight, or one row of them.
class CommandSlot {
 public:
  // `parts`: command buffers. Without a queue they go to the context's own; a queue outlives the slot.
  explicit CommandSlot(const Context& context, std::uint32_t parts = 1);
  CommandSlot(const Context& context, const vk::raii::Queue& queue, std::uint32_t family, std::uint32_t parts = 1);
  ~CommandSlot();
  CommandSlot(const CommandSlot&) = delete;
  CommandSlot& operator=(const CommandSlot&) = delete;

  // What a recording begins with.
  enum class Opening : std::uint8_t {
    kBarrier,  // a full barrier: no command buffer needs to know what ran before it
    kNone,     // the host has waited for what ran before, which makes a barrier needless: see subject.cpp
  };
  // Drops what was recorded, of every part when the first one begins, and starts anew. `once`: the recording will be submitted
  // one time only.
  const vk::raii::CommandBuffer& begin(bool once, Opening opening = Opening::kBarrier, std::uint32_t part = 0);
  void end(std::uint32_t part = 0);

  // Takes the last submission's signal back from the fence: before each submission, and out of what is timed.
  void ready();
  // All parts, in one submission. Throws Error if the slot is not ready.
  void submit(std::span<const vk::SemaphoreSubmitInfo> signals = {});
  // A part, to that queue, of the slot's family. The last one of a row brings the fence, which signals after all that went to
  // its queue before.
  void submit_part(std::uint32_t part, const vk::raii::Queue& queue, std::span<const vk::SemaphoreSubmitInfo> waits,
                   std::span<const vk::SemaphoreSubmitInfo> signals);
  // Until it has completed: polls, as the CUDA side does, or lets the CPU go. Bounded by a bench::Deadline around it; `what` is
  // for messages.
  enum class Waiting : std::uint8_t { kPolls, kSleeps };
  void wait(std::string_view what, Waiting how = Waiting::kPolls);
  // All that is left to do behind a recording that nobody times: ends and submits it and waits, within a deadline.
  void run(std::string_view what, double expected_s);

 private:
  void submit(const vk::raii::Queue& queue, const vk::SubmitInfo2& info, bool is_last);
  void wait_for_earlier();

  const Context& context_;
  const vk::raii::Queue& queue_;
  vk::raii::CommandPool pool_;
  std::vector<vk::raii::CommandBuffer> commands_;
  std::vector<vk::CommandBufferSubmitInfo> parts_;  // of all of them
  vk::raii::Fence fence_;
  bool is_unfinished_ = false;  // a row of submissions whose last one is still to come
  bool in_flight_ = false;
  bool is_signaled_ = false;  // the fence
};

// Everything before, with its memory accesses, precedes everything after.
void full_barrier(const vk::raii::CommandBuffer& commands);
// What orders two dispatches: the first one's writes are seen by the second.
void order_dispatches(const vk::raii::CommandBuffer& commands);

void memory_barrier(const vk::raii::CommandBuffer& commands, vk::PipelineStageFlags2 from_stage, vk::AccessFlags2 from_access,
                    vk::PipelineStageFlags2 to_stage, vk::AccessFlags2 to_access);

}  // namespace bench::vulkan
