#include "vulkan/measure/subject.h"

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "vulkan/measure/timestamp.h"

namespace bench::vulkan {
namespace {

vk::raii::QueryPool make_stamps(const Context& context) {
  const vk::QueryPoolCreateInfo info{.queryType = vk::QueryType::eTimestamp, .queryCount = 2};
  return BENCH_VK(context.device().createQueryPool(info));
}

}  // namespace

Subject::Subject(const Context& context, const std::unique_ptr<L2Evictor>& evictor, const Gate* gate, const Work& work,
                 const SubjectOptions& options)
    : context_(context),
      evictor_(evictor),
      gate_(gate),
      options_(options),
      work_(context, work, options.set_use),
      before_(context, options.before, SetUse::kBoundOnce),
      stamps_(make_stamps(context)),
      device_slot_(context),
      host_slot_(context),
      barrier_slot_(context) {
  if (replay() && options.set_use == SetUse::kUpdatedPerDispatch) {
    throw Error("{}: sets that are updated per dispatch need a command buffer recorded anew (SubmitMode::kEach)", work_.name());
  }
}

void Subject::record_batch(const vk::raii::CommandBuffer& commands, std::uint32_t batch) const {
  const bool overlapping = !options_.ordered && context_.complaints() != nullptr;
  if (overlapping) {
    context_.complaints()->expect_hazards(true);
  }
  work_.record_batch(commands, batch, options_.ordered);
  if (overlapping) {
    context_.complaints()->expect_hazards(false);
  }
}

// Why the stamps enclose the batch and nothing else:
// - A timestamp at ALL_COMMANDS is written after every earlier command has completed (Vulkan 1.3, section 18.5). COMPUTE_SHADER
//   would not wait for copies, and TOP_OF_PIPE waits for nothing.
// - The opening stamp: the barrier before it has drained the queue and made earlier writes available, so the stamp has nothing
//   left to wait for when the GPU reaches it, and is not overtaken by the batch, which the front end reaches after it. A
//   barrier between stamp and batch would only add its own cost to the interval.
// - The closing stamp waits for the batch as well, and the barrier before it is the one that a further launch of the batch
// would
//   need: its writes are available to the device, which is what the end of a kernel means in a CUDA stream. A barrier towards
//   all stages would add what no launch in a stream pays: 4.0 us for an empty pair of stamps instead of 1.9 (H200, driver 580).
void Subject::record_device_sample(const DeviceSampleSpec& spec) {
  const vk::raii::CommandBuffer& commands = device_slot_.begin(!replay());
  commands.resetQueryPool(*stamps_, 0, 2);
  work_.acquire(commands);
  if (gate_ != nullptr) {
    gate_->record(commands);
    full_barrier(commands);
  }
  if (spec.evict_l2) {
    if (evictor_ == nullptr) {
      throw Error("a cold sample of {} without set_evict_bytes()", work_.name());
    }
    evictor_->record(commands);
    full_barrier(commands);
  }
  work_.bind(commands);
  for (std::uint32_t i = 0; i < spec.lead_in; ++i) {
    work_.record_batch(commands, 1, true);
    work_.order(commands);
  }
  if (!before_.empty()) {
    full_barrier(commands);
    before_.bind(commands);
    before_.record_batch(commands, 1, true);
    work_.bind(commands);
  }
  full_barrier(commands);
  commands.writeTimestamp2(vk::PipelineStageFlagBits2::eAllCommands, *stamps_, 0);
  record_batch(commands, spec.batch);
  work_.order(commands);
  commands.writeTimestamp2(vk::PipelineStageFlagBits2::eAllCommands, *stamps_, 1);
  work_.release(commands);
  device_slot_.end();
}

DeviceTime Subject::time_device(const DeviceSampleSpec& spec) {
  check_sample(options_, spec.batch, spec.evict_l2);
  if (!replay() || recorded_device_ != spec) {
    recorded_device_.reset();
    record_device_sample(spec);
    recorded_device_ = spec;
  }
  const Deadline deadline(work_.name(), expected_s(spec.lead_in + spec.batch));
  device_slot_.submit();
  device_slot_.wait(work_.name());

  // There since the fence was signaled (Vulkan 1.3, vkGetQueryPoolResults): nothing to wait for.
  const auto [result, ticks] = BENCH_VK(
      stamps_.getResults<std::uint64_t>(0, 2, 2 * sizeof(std::uint64_t), sizeof(std::uint64_t), vk::QueryResultFlagBits::e64));
  if (result != vk::Result::eSuccess) {
    throw Error("the timestamps around {} did not come: {}", work_.name(), vk::to_string(result));
  }
  const double ns =
      elapsed_ns(ticks[0], ticks[1], context_.timestamp_valid_bits(), static_cast<double>(context_.limits().timestampPeriod));
  launch_ns_ = ns / spec.batch;
  return {ns};  // gated: the queue gets the command buffer whole
}

void Subject::record_host_sample(std::uint32_t batch) {
  const vk::raii::CommandBuffer& commands = host_slot_.begin(!replay(), CommandSlot::Opening::kNone);
  work_.acquire(commands);
  work_.bind(commands);
  record_batch(commands, batch);
  work_.release(commands);
  host_slot_.end();
}

double Subject::expected_s(std::uint32_t launches) const { return context_.expected_s(launches * launch_ns_ * 1e-9); }

// In the slot of the device samples, whose recording then has to be made anew.
void Subject::run_before() {
  recorded_device_.reset();
  const vk::raii::CommandBuffer& commands = device_slot_.begin(true);
  before_.bind(commands);
  before_.record_batch(commands, 1, true);
  full_barrier(commands);
  device_slot_.run(before_.name(), 0);
}

// What ran before is over and seen by what comes: the barrier orders all later submissions, whose recordings need none then.
void Subject::settle() {
  if (!has_barrier_) {
    barrier_slot_.begin(false);
    barrier_slot_.end();
    has_barrier_ = true;
  }
  const Deadline deadline("a barrier");
  barrier_slot_.submit();
  barrier_slot_.wait("a barrier");
}

HostTimes Subject::time_host(std::uint32_t batch) {
  check_sample(options_, batch, false);
  if (replay() && recorded_host_batch_ != batch) {
    recorded_host_batch_.reset();
    record_host_sample(batch);
    recorded_host_batch_ = batch;
  }
  if (before_.empty()) {
    settle();
  } else {
    run_before();
  }
  host_slot_.ready();
  // Alive from before the first stamp to after the last: what bounds the wait takes no part in what is timed.
  const Deadline deadline(work_.name(), expected_s(batch));
  const HostClock::time_point begin = HostClock::now();
  if (!replay()) {
    record_host_sample(batch);
  }
  host_slot_.submit();
  const HostClock::time_point submitted = HostClock::now();
  host_slot_.wait(work_.name());
  const HostClock::time_point completed = HostClock::now();
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}

}  // namespace bench::vulkan
