#include "window.h"

#include <algorithm>

#include "core/experiment/access_model.h"
#include "core/experiment/verify.h"
#include "exp05_kernels.h"
#include "params.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Workbench;

constexpr std::uint32_t kSmallGrid = 4;  // of a software device
constexpr std::uint32_t kSmallTurns = 8;
constexpr std::uint32_t kLoads = 33U << 20;        // of all threads together: * 32 B = 1.03 GiB of sectors
constexpr std::uint32_t kStrides[] = {8, 16, 32};  // 32, 64 and 128 bytes: every sector, every second, one a line
constexpr std::uint32_t kMegabytes[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 80, 128};
// Beyond the table, to twice the L2 where that is larger.
constexpr std::uint32_t kFurtherStepMegabytes = 32;
constexpr std::uint32_t kQuickMegabytes[] = {4, 24, 48, 128};
constexpr std::uint32_t kSmallKilobytes[] = {64, 1024};  // of a software device

struct Window {
  std::uint32_t grid = 0;
  WindowParams params{};

  std::uint32_t threads() const { return grid * kBlock; }
  std::uint64_t words() const { return std::uint64_t{params.places} * params.stride; }
};

// CPU reference: what thread `first` sums up.
std::uint32_t expected_sum(const Workbench& bench, const Window& window, std::uint32_t first) {
  std::uint32_t sum = 0;
  for (std::uint64_t turn = 0; turn < window.params.turns; ++turn) {
    const std::uint64_t place = (first + turn * window.threads()) % window.params.places;
    sum += std::bit_cast<std::uint32_t>(bench.input_value(0, place * window.params.stride));
  }
  return sum;
}

std::unique_ptr<bench::Subject> set_up(Workbench& bench, const Window& window) {
  bench::Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp05(), "read_window"),
                                 .entry = "read_window",
                                 .block_x = kBlock,
                                 .buffers = 2,
                                 .params_bytes = sizeof(WindowParams)});
  launch.grid = {window.grid, 1, 1};
  launch.params = bench::params_bytes(window.params);
  Buffer& output = bench.output("output", window.threads());
  launch.buffers = {&bench.input(0, window.words()), &output};
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, output, window.threads(), bench::kGuardWords,
                               [&](std::uint64_t i) { return expected_sum(bench, window, static_cast<std::uint32_t>(i)); });
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

bench::Case make_case(const Window& window) {
  bench::Case result = bench::twin(
      "read_window", {{"block", kBlock}, {"grid", window.grid}, {"elem_bytes", 4}, {"stride", window.params.stride}},
      [window](Workbench& bench) { return set_up(bench, window); });
  const std::uint64_t apart = std::uint64_t{4} * window.params.stride;
  const std::uint64_t touched = window.params.places * bench::kSectorBytes;
  const std::uint64_t sums = std::uint64_t{4} * window.threads();
  result.model =
      bench::model_values(bench::warp_access(4, [=](std::uint32_t lane) { return apart * lane; }), {}, touched, sums);
  result.elements = window.words();
  result.useful_bytes = std::uint64_t{4} * window.threads() * window.params.turns + sums;
  result.footprint_bytes = touched;
  return result;
}

}  // namespace

std::vector<bench::Case> window_cases(const bench::Plan& plan) {
  // Of places that --size does not name, and that are in the cache.
  const bool warm =
      plan.caches.empty() || std::find(plan.caches.begin(), plan.caches.end(), bench::Cache::kWarm) != plan.caches.end();
  if (!plan.sizes.empty() || !warm) return {};
  const bool small = plan.cpu || plan.smoke;
  const auto of = [](const auto& table, std::uint64_t unit) {
    std::vector<std::uint64_t> bytes;
    for (const std::uint32_t size : table) bytes.push_back(size * unit);
    return bytes;
  };
  std::vector<std::uint64_t> of_gpu = plan.quick ? of(kQuickMegabytes, 1U << 20) : of(kMegabytes, 1U << 20);
  constexpr std::uint64_t kStep = std::uint64_t{kFurtherStepMegabytes} << 20;
  while (of_gpu.back() + kStep <= 2 * plan.l2_bytes + kStep / 2) of_gpu.push_back(of_gpu.back() + kStep);
  std::erase_if(of_gpu, [&](std::uint64_t bytes) { return bytes > plan.max_buffer_bytes; });
  // All of them at once. H200: 132 SMs * 8 = 1056 blocks, whose threads load 128 times each.
  const std::uint32_t grid = small ? kSmallGrid : plan.resident_blocks(kBlock);
  const std::uint32_t turns = small ? kSmallTurns : (kLoads + grid * kBlock - 1) / (grid * kBlock);
  std::vector<bench::Case> list;
  for (const std::uint32_t stride : kStrides) {
    for (const std::uint64_t bytes : small ? of(kSmallKilobytes, 1U << 10) : of_gpu) {
      const auto places = static_cast<std::uint32_t>(bytes / 4 / stride);
      list.push_back(make_case({grid, {places, stride, turns, 1}}));
    }
  }
  return list;
}
