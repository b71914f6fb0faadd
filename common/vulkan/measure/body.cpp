#include "vulkan/measure/body.h"

#include <memory>
#include <vector>

#include "core/base/error.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/launch/command.h"

namespace bench::vulkan {

Body body_of(const Context& context, const Work& work, const SubjectOptions& options) {
  const auto command = std::make_shared<const Command>(context, work);
  const bool anew = options.mode == SubmitMode::kEach;
  if (!anew && command->kernel() != nullptr && command->kernel()->spec().vulkan.set_use == SetUse::kUpdatedPerDispatch) {
    throw Error("{}: sets that are updated per dispatch need a command buffer recorded anew (SubmitMode::kEach)",
                command->name());
  }
  using Commands = const vk::raii::CommandBuffer&;
  Body body;
  body.name = command->name();
  body.kernel = command->kernel();
  body.recorded_anew = anew;
  body.unordered = !options.ordered;
  body.batches = true;
  body.record = [command, ordered = options.ordered](Commands commands, std::uint32_t /*part*/, std::uint32_t times) {
    command->record(commands, times, ordered);
  };
  body.acquire = [command](Commands commands) { command->acquire(commands); };
  body.release = [command](Commands commands) { command->release(commands); };
  body.bind = [command](Commands commands) { command->bind(commands); };
  body.order = [command](Commands commands) { command->order(commands); };
  body.lead_in = [command](Commands commands) {
    command->record(commands);
    command->order(commands);
  };
  if (!options.before.empty()) {
    std::vector<std::shared_ptr<const Command>> before;
    for (const Work& one : options.before) before.push_back(std::make_shared<const Command>(context, one));
    body.before = [before](Commands commands) {
      for (const auto& one : before) {
        if (one != before.front()) full_barrier(commands);
        one->bind(commands);
        one->record(commands);
      }
    };
  }
  return body;
}

}  // namespace bench::vulkan
