#include "vulkan/measure/body.h"

#include <memory>

#include "core/base/error.h"
#include "vulkan/launch/command.h"

namespace bench::vulkan {

Body body_of(const Context& context, const Work& work, const SubjectOptions& options) {
  const auto command = std::make_shared<const Command>(context, work);
  const auto before = std::make_shared<const Command>(context, options.before);
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
  if (!before->empty()) {
    body.before = [before](Commands commands) {
      before->bind(commands);
      before->record(commands);
    };
  }
  return body;
}

}  // namespace bench::vulkan
