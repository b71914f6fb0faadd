#include "cuda/device/gate_control.h"

#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"

namespace bench::cuda {
namespace {

class NotHeld final : public bench::Subject {
 public:
  NotHeld(Device& device, const Body& body) : device_(device), body_(body), held_(device.prepare(body)) {}

  const bench::Kernel* kernel() const override { return held_->kernel(); }
  DeviceTime time_device(const DeviceSampleSpec& spec) override {
    const CurrentDevice current(device_.handle());
    const Deadline deadline(body_.name);
    cudaStream_t stream = device_.stream();
    device_.timer().start(stream);
    for (std::uint32_t i = 0; i < spec.batch; ++i) body_.enqueue({&stream, 1}, 0);
    device_.timer().stop(stream);
    device_.timer().wait(body_.name);
    return {device_.timer().elapsed_ns(), false};
  }
  HostTimes time_host(std::uint32_t batch) override { return held_->time_host(batch); }

 private:
  Device& device_;
  Body body_;
  std::unique_ptr<bench::Subject> held_;
};

}  // namespace

void count_as_many(Body& body) { body.calls = kMostHeldCalls; }

std::unique_ptr<bench::Subject> prepare_control(Device& device, Body body, std::string_view control) {
  if (control == "not_held") {
    if (body.parts != 1 || body.streams != 1 || body.replayed || body.before)
      throw Error("{}: no control without a gate for more than one part on one stream", body.name);
    return std::make_unique<NotHeld>(device, body);
  }
  if (control == "led_in") {
    body.has_lead_in = true;
    count_as_many(body);
  }
  return device.prepare(std::move(body));
}

}  // namespace bench::cuda
