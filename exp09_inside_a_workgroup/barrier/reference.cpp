#include "reference.h"

#include <array>
#include <span>

#include "core/base/error.h"
#include "core/experiment/verify.h"

std::uint32_t exchanged(std::uint32_t thread, std::uint32_t group, std::uint32_t shift, std::uint32_t steps) {
  const std::uint32_t first = thread - thread % group;
  return first + (thread - first + shift % group * steps) % group + steps;
}

double cycles_of_a_step(bench::Workbench& bench, const bench::Buffer& report, const Config& config) {
  std::array<std::uint32_t, EXP09_REPORT> found{};
  bench.device().download(report, 0, std::as_writable_bytes(std::span(found)));
  if (found[EXP09_STEPS] != config.steps())
    throw bench::Error("a thread waited in vain in step {} of {}", found[EXP09_STEPS], config.steps());
  return static_cast<double>(found[EXP09_CYCLES]) / config.steps();
}

void check(bench::Workbench& bench, const bench::Buffer& result, const bench::Buffer& report, const Config& config) {
  cycles_of_a_step(bench, report, config);
  const std::uint32_t group = config.group(bench.device().info().subgroup_size);
  bench::verify<std::uint32_t>(bench, result, config.threads, bench::kGuardWords, [&](std::uint64_t i) {
    const auto thread = static_cast<std::uint32_t>(i);
    return config.exchange ? exchanged(thread, group, 1, config.steps()) : thread;
  });
}
