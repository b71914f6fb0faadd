// What a Subject times.
#pragma once

#include <functional>
#include <string>

#include "core/device/device.h"
#include "vulkan/api/command_slot.h"

namespace bench::vulkan {

using Record = std::function<void(const vk::raii::CommandBuffer&)>;

// Commands that somebody records, into one command buffer or several.
struct Body {
  std::string name;                // for messages
  const Kernel* kernel = nullptr;  // see bench::Subject
  std::uint32_t parts = 1;         // command buffers, in their order
  bool one_by_one = false;         // a submission for each of them; else all in one
  std::uint32_t queues = 1;   // part i goes to compute queue i modulo this; more than one: ordered by a timeline semaphore. The
                              // first and the last part have to be queue 0's: timestamps compare on one queue only
  bool side_by_side = false;  // with one_by_one: the first part comes before all others, which need nothing of each other, and
                              // the last one behind them. Both are queue 0's; part i between them goes to queue (i - 1)
  bool recorded_anew = false;  // for every submission; the host's times then have the recording in them
  bool unordered = false;      // its dispatches may overlap, on words of their own
  // Part `part`, `times` times one after the other. More than once only where it `batches`: else a sample of several submits
  // all parts so often, one time after the other.
  std::function<void(const vk::raii::CommandBuffer&, std::uint32_t part, std::uint32_t times)> record;
  bool batches = false;
  std::function<void()> prepare = [] {};  // by the host, untimed, ahead of each submission

  // What may be left out. First and last in a submission: see Command::acquire.
  Record acquire = [](const vk::raii::CommandBuffer&) {};
  Record release = [](const vk::raii::CommandBuffer&) {};
  // What record() counts on being bound; again after what binds something else.
  Record bind = [](const vk::raii::CommandBuffer&) {};
  Record order = order_dispatches;  // what comes next is complete, and seen: ahead of the closing stamp
  Record lead_in = {};              // once, untimed, and ordered
  Record before = {};               // ahead of each sample: see SubjectOptions::before
};

// The suite's own Work. Its kernels and buffers outlive the body. Throws what Command does; Error for options that cannot be.
Body body_of(const Context& context, const Work& work, const SubjectOptions& options);

}  // namespace bench::vulkan
