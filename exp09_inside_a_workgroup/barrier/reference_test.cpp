#include "reference.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.h"
#include "core/experiment/verify.h"
#include "fake_device.h"

namespace {

// The exchange step by step; in `late_step` thread `late` reads before its neighbour has stored.
std::vector<std::uint32_t> run_block(std::uint32_t threads, std::uint32_t group, std::uint32_t steps,
                                     std::uint32_t late_step = ~0U, std::uint32_t late = 0) {
  std::vector<std::uint32_t> values(threads);
  std::iota(values.begin(), values.end(), 0U);
  std::vector<std::vector<std::uint32_t>> slots(2, std::vector<std::uint32_t>(threads));
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::vector<std::uint32_t>& half = slots[step % 2];
    const std::vector<std::uint32_t> older = half;
    half = values;
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::uint32_t first = t - t % group;
      const std::uint32_t neighbour = first + (t - first + 1) % group;
      values[t] = (step == late_step && t == late ? older[neighbour] : half[neighbour]) + 1;
    }
  }
  return values;
}

std::string verdict(const Config& config, const std::vector<std::uint32_t>& values, std::uint32_t steps) {
  bench::DeviceInfo info;
  info.subgroup_size = 32;
  bench::FakeDevice device(info);
  bench::Workbench bench(device, 42);
  bench::Buffer& result = bench.output("result", config.threads);
  bench::Buffer& report = bench.output("report", EXP09_REPORT);
  std::copy(values.begin(), values.end(), bench::words_of<std::uint32_t>(result));
  bench::words_of<std::uint32_t>(report)[EXP09_CYCLES] = 320;
  bench::words_of<std::uint32_t>(report)[EXP09_STEPS] = steps;
  try {
    check(bench, result, report, config);
    EXPECT_EQ(cycles_of_a_step(bench, report, config), 320.0 / config.steps());
  } catch (const bench::Error& error) {
    return error.what();
  }
  return "";
}

TEST(BarrierReference, FindsPlantedFaults) {
  for (const Variant& variant : kVariants) {
    const Config config{&variant, 64, true, true};
    const std::uint32_t group = config.group(32);
    EXPECT_EQ(verdict(config, run_block(64, group, config.steps()), config.steps()), "") << variant.name;
    for (const std::uint32_t step : {0U, 7U, config.steps() - 1})
      EXPECT_NE(verdict(config, run_block(64, group, config.steps(), step, 33), config.steps()), "") << variant.name << step;
    EXPECT_NE(verdict(config, run_block(64, group, config.steps() - 1), config.steps()), "") << "a step is left out";
    EXPECT_NE(verdict(config, run_block(64, group, config.steps()), 8), "") << "given up";
  }
}

TEST(BarrierReference, WithoutAnExchangeEachKeepsItsOwn) {
  const Config config{&kVariants[1], 64, false, true};
  EXPECT_EQ(verdict(config, run_block(64, 64, 0), config.steps()), "");
  EXPECT_NE(verdict(config, run_block(64, 64, 1), config.steps()), "");
}

}  // namespace
