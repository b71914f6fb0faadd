// One command buffer, its pool and its fence; and the barriers that everything here uses.
#pragma once

#include <string_view>

#include "vulkan/api/context.h"

namespace bench::vulkan {

// At most one submission is in flight.
class CommandSlot {
 public:
  explicit CommandSlot(const Context& context);
  ~CommandSlot();
  CommandSlot(const CommandSlot&) = delete;
  CommandSlot& operator=(const CommandSlot&) = delete;

  // What a recording begins with.
  enum class Opening : std::uint8_t {
    kBarrier,  // a full barrier: no command buffer needs to know what ran before it
    kNone,     // whoever submits it has had the barrier before, in a submission that has completed
  };
  // Drops what was recorded and starts anew. `once`: the recording will be submitted one time only.
  const vk::raii::CommandBuffer& begin(bool once, Opening opening = Opening::kBarrier);
  // Takes the last submission's signal back from the fence. submit() does so, too: this is for who times it.
  void ready();
  // Submits, and polls until the submission has completed, as the CUDA side does. Both are bounded by a bench::Deadline around
  // them; `what` is for messages.
  void submit();
  void wait(std::string_view what);
  // All that is left to do behind a recording that nobody times: ends and submits it and waits, within a deadline.
  void run(std::string_view what, double expected_s);

  const vk::raii::CommandBuffer& commands() const { return commands_; }
  void end();

 private:
  const Context& context_;
  vk::raii::CommandPool pool_;
  vk::raii::CommandBuffer commands_;
  vk::raii::Fence fence_;
  bool in_flight_ = false;
  bool is_signaled_ = false;  // the fence
};

// Everything before, with its memory accesses, precedes everything after.
void full_barrier(const vk::raii::CommandBuffer& commands);

void memory_barrier(const vk::raii::CommandBuffer& commands, vk::PipelineStageFlags2 from_stage, vk::AccessFlags2 from_access,
                    vk::PipelineStageFlags2 to_stage, vk::AccessFlags2 to_access);

}  // namespace bench::vulkan
