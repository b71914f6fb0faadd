#include "pointer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/stats.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "params.h"

namespace {

constexpr std::uint32_t kLinkBlock = 256;

// Else the chase would come back before its end, to lines that the L2 has.
template <std::uint32_t LINES>
constexpr bool visits_all() {
  std::array<bool, LINES> visited{};
  for (std::uint32_t t = 0; t < LINES; ++t) visited.at(pointer_line(t, LINES)) = true;
  return std::find(visited.begin(), visited.end(), false) == visited.end();
}
static_assert(visits_all<512>() && visits_all<32768>());

const bench::Kernel& kernel(bench::Workbench& bench, std::string_view stem, std::uint32_t block, std::uint32_t buffers) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), stem),
                       .entry = std::string(stem),
                       .block_x = block,
                       .buffers = buffers,
                       .params_bytes = sizeof(PointerParams),
                       .vulkan = {.binding = bench::BufferBinding::kAddress}});
}

}  // namespace

bench::Buffer& linked_table(bench::Workbench& bench, const Point& point) {
  bench::Buffer& table = bench.output("lines", point.table_bytes / sizeof(std::uint32_t));
  bench.device().run(bench::Launch{&kernel(bench, "pointer_link", kLinkBlock, 1),
                                   {(point.lines() + kLinkBlock - 1) / kLinkBlock, 1, 1},
                                   {&table},
                                   bench::params_bytes(PointerParams{point.lines(), point.steps})});
  return table;
}

// The same six steps as in main.cpp.
bench::Prepared set_up_pointer(bench::Workbench& bench, const Point& point) {
  const bench::Kernel& follow = kernel(bench, "pointer_chase", 1, 2);
  bench::Buffer& table = linked_table(bench, point);
  bench::Buffer& results = bench.output("results", 1);
  const bench::Launch chase = {
      &follow, {1, 1, 1}, {&table, &results}, bench::params_bytes(PointerParams{point.lines(), point.steps})};
  bench.device().run(chase);
  bench::verify<std::uint32_t>(bench, results, 1, bench::kGuardWords,
                               [&](std::uint64_t) { return pointer_line(point.steps, point.lines()); });
  bench.makes_outputs_anew();

  std::unique_ptr<bench::Subject> subject = bench.device().prepare(chase, {});
  const bench::DeviceSampleSpec spec = {.batch = 1, .lead_in = point.cold ? 0U : 2U, .evict_l2 = point.cold};
  const auto measure = [timed = subject.get(), spec, steps = point.steps] {
    std::vector<double> latency;
    for (std::size_t run = 0; run < kRuns; ++run) latency.push_back(timed->time_device(spec).ns / steps);
    return bench::Values{{"latency_ns", bench::summarize(latency)}};
  };
  return {std::move(subject), measure};
}
