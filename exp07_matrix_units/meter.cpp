#include "meter.h"

#include <algorithm>
#include <utility>

#include "core/base/process.h"

namespace {

constexpr double kBusyS = 0.08;   // a board's power reading follows the load within some 25 ms
constexpr double kBatchNs = 5e6;  // of one submission
constexpr std::uint32_t kMostLaunches = 4096;
constexpr std::uint64_t kPowerCap = 0x04;  // nvmlClocksThrottleReasonSwPowerCap

bench::Values read(const bench::Device& device, const bench::Nvml& nvml, bench::Subject& subject, double operations) {
  if (device.info().is_cpu) return {};
  const double once_ns = subject.time_device({.batch = 1}).ns;
  const auto batch = static_cast<std::uint32_t>(std::clamp(kBatchNs / std::max(once_ns, 1.0), 1.0, double{kMostLaunches}));
  double ns = 0;
  double launches = 0;
  double mhz_ns = 0;  // each submission's clock, weighted by its time: under the power cap the clock goes up and down
  std::optional<double> power_w;
  std::optional<std::uint64_t> reasons;
  const double started = bench::now_s();
  while (bench::now_s() - started < kBusyS) {
    const double took_ns = subject.time_device({.batch = batch}).ns;
    mhz_ns += nvml.sm_clock_mhz().value_or(0) * took_ns;
    power_w = nvml.power_w();
    reasons = nvml.throttle_reasons();
    ns += took_ns;
    launches += batch;
  }
  const double per_ns = operations * launches / ns;
  const double mhz = mhz_ns / ns;
  bench::Values values = {{"tops", per_ns * 1e-3}};
  if (power_w) values.set("power_w", *power_w);
  if (reasons) values.set("power_capped", (*reasons & kPowerCap) != 0 ? 1U : 0U);
  if (mhz > 0) {
    values.set("busy_mhz", mhz);
    if (device.info().multiprocessors != 0) values.set("ops_clk_sm", per_ns * 1e3 / (mhz * device.info().multiprocessors));
  }
  return values;
}

}  // namespace

std::vector<bench::Column> meter_columns() {
  using bench::Column;
  return {Column::real("tops", "TFLOP/s", "or 10^12 operations per second of integers, launched for 80 ms on end").optional(),
          Column::real("ops_clk_sm", "", "operations per clock and SM, by busy_mhz").optional(),
          Column::real("busy_mhz", "MHz", "the SMs' clock in these 80 ms: mean").optional(),
          Column::real("power_w", "W", "the board's power at their end").optional(),
          Column::integer("power_capped", "", "whether the power cap held the clock down then").optional()};
}

bench::Prepared metered(bench::Device& device, std::unique_ptr<bench::Subject> subject, double operations) {
  bench::Subject* const timed = subject.get();
  const auto nvml = std::make_shared<bench::Nvml>(device.info().uuid);
  return {std::move(subject), [=, &device] { return read(device, *nvml, *timed, operations); }};
}
