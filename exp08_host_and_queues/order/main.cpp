// What does each way of ordering two kernels add to a chain of them?
#include <vector>

#include "../host.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp08_kernels.h"
#include "reference.h"
#include "sides.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kLinks = 201;
constexpr std::uint32_t kFillerTurns = 2000;  // of some 16 cycles each: 16 us at 2 GHz

const bench::Api kCuda = bench::cuda::kApi;
const bench::Api kVulkan = bench::vulkan::kApi;

// The experiment is this table.
const Config kConfigs[] = {
    {"chain", "nothing", Ordering::kNothing, kVulkan, kLinks, 0, false},
    {"chain", "barrier", Ordering::kBarrier, {}, kLinks, 0, false},
    {"chain", "buffer", Ordering::kBuffer, kVulkan, kLinks, 0, false},
    {"chain", "to_all", Ordering::kToAll, kVulkan, kLinks, 0, false},
    {"chain", "all_to_all", Ordering::kAllToAll, kVulkan, kLinks, 0, false},
    {"chain", "to_host", Ordering::kToHost, kVulkan, kLinks, 0, false},
    {"chain", "event", Ordering::kEvent, {}, kLinks, 0, false},
    {"chain", "device_event", Ordering::kDeviceEvent, kVulkan, kLinks, 0, false},
    {"chain", "programmatic", Ordering::kProgrammatic, kCuda, kLinks, 0, false},
    {"chain", "graph", Ordering::kGraph, kCuda, kLinks, 0, false},
    {"chain", "graph_programmatic", Ordering::kGraphProgrammatic, kCuda, kLinks, 0, false},
    {"chain", "submission", Ordering::kSubmission, kVulkan, kLinks, 0, false},
    {"chain", "queues", Ordering::kQueues, {}, kLinks, 0, false},
    {"filled", "barrier", Ordering::kBarrier, {}, kLinks, kFillerTurns, false},
    {"filled", "event", Ordering::kEvent, {}, kLinks, kFillerTurns, true},
    {"filled", "device_event", Ordering::kDeviceEvent, kVulkan, kLinks, kFillerTurns, true},
    {"overwritten", "nothing", Ordering::kNothing, kVulkan, kLinks, 0, false, true},
    {"overwritten", "barrier", Ordering::kBarrier, {}, kLinks, 0, false, true},
    {"overwritten", "execution", Ordering::kExecution, kVulkan, kLinks, 0, false, true},
    {"overwritten", "graph", Ordering::kGraph, kCuda, kLinks, 0, false, true},
    {"overwritten", "programmatic", Ordering::kProgrammatic, kCuda, kLinks, 0, false, true},
    {"overwritten", "graph_programmatic", Ordering::kGraphProgrammatic, kCuda, kLinks, 0, false, true},
};

// Of a chain that nothing ordered.
double count_wrong(bench::Device& device, const Buffer& rows, const std::vector<Row>& expected) {
  std::vector<Row> found(expected.size());
  device.download(rows, 0, std::as_writable_bytes(std::span(found)));
  return wrong_rows(found, expected);
}

// What a chain starts from: poison, or, where its links overwrite, the rows that they read.
void start_over(bench::Device& device, Buffer& rows, const Config& config) {
  device.fill(rows, 0, rows.bytes(), bench::kPoison);
  if (!config.overwrites) return;
  const std::vector<Row> before = rows_before(config);
  device.upload(rows, 0, std::as_bytes(std::span(before)));
}

// Six steps, the same for both APIs: kernel, no input, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  bench::Launch launch;
  const char* name = config.is_programmatic() ? "link_programmatic" : "link";
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), name),
                                 .entry = name,
                                 .block_x = EXP08_LANES,
                                 .buffers = 1,
                                 .params_bytes = sizeof(LinkParams)});
  Buffer& rows = bench.output("rows", std::uint64_t{config.rows()} * EXP08_LANES);
  launch.buffers = {&rows};
  launch.params = bench::params_bytes(link_of(config, 0));
  const bench::PerApi<decltype(&cuda_side)> sides = {{bench::cuda::kApi, cuda_side}, {bench::vulkan::kApi, vulkan_side}};
  auto subject = sides.at(bench.device().info().api, "the chain")(bench, config, launch);

  start_over(bench.device(), rows, config);
  // Through what will be timed.
  subject->time_host(1);
  const std::vector<Row> expected = expected_rows(config);
  if (config.way != Ordering::kNothing) {
    bench::verify<std::uint32_t>(bench, fmt::format("{} links, filler {}", config.links, config.filler_turns), rows,
                                 std::uint64_t{config.rows()} * EXP08_LANES, bench::kGuardWords,
                                 [&](std::uint64_t i) { return expected[i / EXP08_LANES][i % EXP08_LANES]; });
    bench.makes_outputs_anew([&bench, &rows, config] { start_over(bench.device(), rows, config); });
    return {std::move(subject), [] { return host_values(); }};
  }
  bench.nothing_to_compare();  // how many rows are wrong is what it measures
  // Afresh, over poison: what a run before left behind is right.
  bench::Subject* chain = subject.get();
  return {std::move(subject),
          [&bench, &rows, config, expected, chain] {
            start_over(bench.device(), rows, config);
            chain->time_host(1);
            return host_values().set("wrong_rows", count_wrong(bench.device(), rows, expected));
          },
          bench::kReadings};
}

bench::Case make_case(const Config& config) {
  bench::Case result = bench::twin(config.name, {{"way", config.way_name}, {"links", config.links}},
                                   [=](Workbench& bench) { return set_up(bench, config); });
  if (config.alone != bench::Api()) result.apis = {{config.alone}};
  result.elements = config.rows();
  result.fixed_batch = 1;
  result.budget_part = 0.4;
  result.host_samples = 20;
  // With timeline semaphores several submissions are held back until the last one is made.
  if (config.way == Ordering::kQueues || config.way == Ordering::kSubmission) result.vulkan.timeline = true;
  if (config.way == Ordering::kQueues) result.vulkan.compute_queues = 2;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (Config config : kConfigs) {
    if (plan.cpu || plan.smoke) config.links = 21;
    if (config.filler_turns != 0 && (plan.cpu || plan.smoke)) config.filler_turns = 100;
    list.push_back(make_case(config));
  }
  for (const bench::Case& control : bench::aa_controls(list[1])) list.push_back(control);
  return list;
}

std::vector<Column> measured() {
  std::vector<Column> columns = {
      Column::real("wrong_rows", "", "links of a chain that nothing orders which read too early, or read such a link's row")
          .optional()};
  for (const Column& column : host_columns()) columns.push_back(column);
  return columns;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp08_order",
      .question = "What does each way of ordering two kernels add to a chain of them?",
      .params = {Column::text("way", "of ordering a link behind the one before: see DESIGN.md"),
                 Column::integer("links", "", "kernels of the chain, one warp each")},
      .model = {},
      .measured = measured(),
      .variants = {{"chain",
                    "`links` kernels of one warp, each of which reads what the one before wrote; times are of the chain"},
                   {"filled",
                    "the same with a kernel beside each link that nothing waits for: a barrier waits for it all the same"},
                   {"overwritten",
                    "`links` such kernels, each of which reads what the next one overwrites, and nothing that another wrote"},
                   {"aa_control_a", "A/A control: the chain by barriers, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
