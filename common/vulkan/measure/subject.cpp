#include "vulkan/measure/subject.h"

#include <vector>

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "vulkan/measure/timestamp.h"

namespace bench::vulkan {
namespace {

vk::raii::QueryPool make_stamps(const Context& context) {
  const vk::QueryPoolCreateInfo info{.queryType = vk::QueryType::eTimestamp, .queryCount = 2};
  return BENCH_VK(context.device().createQueryPool(info));
}

// Validation follows whole buffers, not words.
class Hazards {
 public:
  Hazards(const Context& context, bool expected) : complaints_(expected ? context.complaints() : nullptr) {
    if (complaints_ != nullptr) complaints_->expect_hazards(true);
  }
  Hazards(const Hazards&) = delete;
  Hazards& operator=(const Hazards&) = delete;
  ~Hazards() {
    if (complaints_ != nullptr) complaints_->expect_hazards(false);
  }

 private:
  Complaints* complaints_;
};

}  // namespace

Subject::Subject(const Context& context, const std::unique_ptr<L2Evictor>& evictor, const Gate* gate, Body body)
    : context_(context),
      evictor_(evictor),
      gate_(gate),
      body_(std::move(body)),
      stamps_(make_stamps(context)),
      device_slot_(context, body_.parts),
      host_slot_(context, body_.parts),
      before_slot_(context) {
  const vk::SemaphoreTypeCreateInfo type{.semaphoreType = vk::SemaphoreType::eTimeline};
  if (body_.queues > 1 || body_.side_by_side) order_ = BENCH_VK(context_.device().createSemaphore({.pNext = &type}));
  for (std::uint32_t i = 0; body_.side_by_side && i < body_.queues; ++i)
    joins_.push_back(BENCH_VK(context_.device().createSemaphore({.pNext = &type})));
  if (is_several() && context_.features().timeline) hold_.emplace(context_);
}

// Why the stamps enclose the batch and nothing else:
// - A timestamp at ALL_COMMANDS is written after every earlier command has completed (Vulkan 1.3, section 18.5). COMPUTE_SHADER
//   would not wait for copies, and TOP_OF_PIPE waits for nothing.
// - The opening stamp: the barrier before it has drained the queue and made earlier writes available, so the stamp has nothing
//   left to wait for when the GPU reaches it, and is not overtaken by the batch, which the front end reaches after it. A
//   barrier between stamp and batch would only add its own cost to the interval.
// - The closing stamp waits for the batch as well, and the barrier before it is the one that a further launch of the batch
//   would need: its writes are available to the device, which is what the end of a kernel means in a CUDA stream. A barrier
//   towards all stages would add what no launch in a stream pays: 4.0 us for an empty pair of stamps instead of 1.9 (H200,
//   driver 580).
void Subject::record_device_part(const DeviceSampleSpec& spec, std::uint32_t part) {
  using Opening = CommandSlot::Opening;
  const vk::raii::CommandBuffer& commands =
      device_slot_.begin(body_.recorded_anew, part == 0 ? Opening::kBarrier : Opening::kNone, part);
  if (part == 0) {
    commands.resetQueryPool(*stamps_, 0, 2);
    body_.acquire(commands);
    if (gate_ != nullptr) {
      gate_->record(commands);
      full_barrier(commands);
    }
    if (body_.before && spec.evict_l2) {
      body_.before(commands);
      full_barrier(commands);
    }
    if (spec.evict_l2) {
      if (evictor_ == nullptr) throw Error("a cold sample of {} without set_evict_bytes()", body_.name);
      evictor_->record(commands);
      full_barrier(commands);
    }
    body_.bind(commands);
    for (std::uint32_t i = 0; i < spec.lead_in && body_.lead_in; ++i) body_.lead_in(commands);
    if (body_.before && !spec.evict_l2) {
      full_barrier(commands);
      body_.before(commands);
      body_.bind(commands);
    }
    full_barrier(commands);
    commands.writeTimestamp2(vk::PipelineStageFlagBits2::eAllCommands, *stamps_, 0);
  }
  {
    const Hazards hazards(context_, body_.unordered);
    body_.record(commands, part, spec.batch);
  }
  if (part + 1 == body_.parts) {
    body_.order(commands);
    commands.writeTimestamp2(vk::PipelineStageFlagBits2::eAllCommands, *stamps_, 1);
    body_.release(commands);
  }
  device_slot_.end(part);
}

// No barrier at its beginning. The host has waited for the fence of what ran before, by which its writes are available, and a
// submission makes them visible to all that it runs (Vulkan 1.3, section 7.3, "Fences"; Memory Model, "Availability,
// Visibility, and Domain Operations": vkQueueSubmit).
void Subject::record_host_part(std::uint32_t batch, std::uint32_t part) {
  const vk::raii::CommandBuffer& commands = host_slot_.begin(body_.recorded_anew, CommandSlot::Opening::kNone, part);
  if (part == 0) {
    body_.acquire(commands);
    body_.bind(commands);
  }
  {
    const Hazards hazards(context_, body_.unordered);
    body_.record(commands, part, batch);
  }
  if (part + 1 == body_.parts) body_.release(commands);
  host_slot_.end(part);
}

// `record`: a part, ahead of the submission that it goes with.
void Subject::submit(CommandSlot& slot, const std::function<void(std::uint32_t)>& record, Hold::Scope* held) {
  const Hazards hazards(context_, body_.unordered);
  if (!body_.one_by_one) {
    for (std::uint32_t part = 0; part < body_.parts; ++part) record(part);
    return slot.submit();
  }
  const vk::PipelineStageFlags2 all = vk::PipelineStageFlagBits2::eAllCommands;
  if (body_.side_by_side) ++reached_;
  std::vector<vk::SemaphoreSubmitInfo> waits;
  std::vector<vk::SemaphoreSubmitInfo> signals;
  for (std::uint32_t part = 0; part < body_.parts; ++part) {
    record(part);
    waits.clear();
    signals.clear();
    if (held != nullptr && part < body_.queues) waits.push_back(held->wait());
    std::uint32_t queue = part % body_.queues;
    if (body_.side_by_side) {
      const bool is_last = part + 1 == body_.parts;
      queue = part == 0 || is_last ? 0 : part - 1;
      if (part == 0) {
        signals.push_back({.semaphore = *order_, .value = reached_, .stageMask = all});
      } else if (is_last) {
        for (const vk::raii::Semaphore& join : joins_)
          waits.push_back({.semaphore = *join, .value = reached_, .stageMask = all});
      } else {
        waits.push_back({.semaphore = *order_, .value = reached_, .stageMask = all});
        signals.push_back({.semaphore = *joins_.at(queue), .value = reached_, .stageMask = all});
      }
    } else if (body_.queues > 1) {
      if (part > 0) waits.push_back({.semaphore = *order_, .value = reached_, .stageMask = all});
      signals.push_back({.semaphore = *order_, .value = ++reached_, .stageMask = all});
    }
    slot.submit_part(part, context_.compute_queue(queue), waits, signals);
  }
}

DeviceTime Subject::time_device(const DeviceSampleSpec& spec) {
  if (body_.before) check_with_before(spec.batch);
  if (!body_.batches && spec.batch > 1) {
    DeviceTime sum;
    DeviceSampleSpec one = spec;
    one.batch = 1;
    for (std::uint32_t i = 0; i < spec.batch; ++i) {
      const DeviceTime time = time_device(one);
      sum.ns += time.ns;
      sum.gated = sum.gated && time.gated;
    }
    return sum;
  }
  body_.prepare();
  const bool anew = body_.recorded_anew || recorded_device_ != spec;
  recorded_device_.reset();
  const Deadline deadline(body_.name, expected_s(spec.lead_in + spec.batch));
  device_slot_.ready();
  // The queue gets one submission whole. A driver may keep several in a thread of its own, which then hands over one after the
  // other.
  bool gated = !is_several();
  {
    std::optional<Hold::Scope> held;
    if (hold_) held.emplace(*hold_);
    const auto record = [&](std::uint32_t part) {
      if (anew) record_device_part(spec, part);
    };
    submit(device_slot_, record, held ? &*held : nullptr);
    if (held) gated = held->release() && !context_.waits_on_the_host();
  }
  recorded_device_ = spec;
  device_slot_.wait(body_.name);

  // There since the fence was signaled (Vulkan 1.3, vkGetQueryPoolResults): nothing to wait for.
  const auto [result, ticks] = BENCH_VK(
      stamps_.getResults<std::uint64_t>(0, 2, 2 * sizeof(std::uint64_t), sizeof(std::uint64_t), vk::QueryResultFlagBits::e64));
  if (result != vk::Result::eSuccess) {
    throw Error("the timestamps around {} did not come: {}", body_.name, vk::to_string(result));
  }
  const double ns =
      elapsed_ns(ticks[0], ticks[1], context_.timestamp_valid_bits(), static_cast<double>(context_.limits().timestampPeriod));
  launch_ns_ = ns / spec.batch;
  return {ns, gated};
}

double Subject::expected_s(std::uint32_t launches) const { return context_.expected_s(launches * launch_ns_ * 1e-9); }

// Ahead of host times, untimed: what comes before each sample, or a barrier. What ran before is then over, and the queue has
// just had a submission.
void Subject::settle() {
  if (body_.before) {
    const vk::raii::CommandBuffer& commands = before_slot_.begin(true);
    body_.before(commands);
    full_barrier(commands);
    return before_slot_.run(body_.name, context_.expected_s(0));
  }
  if (!has_barrier_) {
    before_slot_.begin(false);
    before_slot_.end();
    has_barrier_ = true;
  }
  const Deadline deadline("a barrier");
  before_slot_.ready();
  before_slot_.submit();
  before_slot_.wait("a barrier");
}

HostTimes Subject::time_host(std::uint32_t batch) {
  if (body_.before) check_with_before(batch);
  if (!body_.batches && batch > 1) {
    HostTimes sum;
    for (std::uint32_t i = 0; i < batch; ++i) {
      const HostTimes times = time_host(1);
      sum.roundtrip_ns += times.roundtrip_ns;
      sum.submit_ns += times.submit_ns;
    }
    return sum;
  }
  body_.prepare();
  if (!body_.recorded_anew && recorded_host_batch_ != batch) {
    recorded_host_batch_.reset();
    for (std::uint32_t part = 0; part < body_.parts; ++part) record_host_part(batch, part);
    recorded_host_batch_ = batch;
  }
  settle();
  host_slot_.ready();
  const auto record = [&](std::uint32_t part) {
    if (body_.recorded_anew) record_host_part(batch, part);
  };
  // Alive from before the first stamp to after the last: what bounds the wait takes no part in what is timed.
  const Deadline deadline(body_.name, expected_s(batch));
  const HostClock::time_point begin = HostClock::now();
  submit(host_slot_, record, nullptr);
  const HostClock::time_point submitted = HostClock::now();
  host_slot_.wait(body_.name);
  const HostClock::time_point completed = HostClock::now();
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}

}  // namespace bench::vulkan
