#include "reference.h"

#include <gtest/gtest.h>

#include <array>

#include "core/base/error.h"
#include "core/experiment/verify.h"
#include "fake_device.h"

namespace {

constexpr std::uint32_t kWordWeights[] = {1, 3, 5, 7};

Config strided(Kind kind, std::uint32_t bytes, std::uint32_t stride, std::uint32_t pad) {
  Config config;
  config.kind = kind;
  config.bytes = bytes;
  config.stride = stride;
  config.pad = pad;
  config.small = true;
  return config;
}

// One workgroup as the kernels have it, thread by thread, turn by turn.
std::vector<std::uint32_t> run_workgroup(const Config& config) {
  const std::uint32_t words = config.bytes / 4;
  std::vector<std::array<std::uint32_t, 4>> table(EXP09_TABLE);
  for (std::uint32_t e = 0; e < EXP09_TABLE; ++e) {
    for (std::uint32_t c = 0; c < words; ++c) table[e][c] = table_word(e, c);
  }
  const auto fold = [&](std::uint32_t e) {
    std::uint32_t sum = 0;
    for (std::uint32_t c = 0; c < words; ++c) sum += kWordWeights[c] * table[e][c];
    return sum;
  };
  std::vector<std::uint32_t> results(config.block());
  for (std::uint32_t thread = 0; thread < config.block(); ++thread) {
    for (std::uint32_t turn = 0; turn < config.turns(); ++turn) {
      for (std::uint32_t u = 0; u < EXP09_UNROLL; ++u) {
        const std::uint32_t e = first_element(thread % 32, config.stride, config.pad) + turn * EXP09_UNROLL % EXP09_SHIFTS + u;
        if (config.kind == Kind::kRead) results[thread] += fold(e);
        if (config.kind == Kind::kWrite) table[e].fill(e);
      }
    }
  }
  if (config.kind == Kind::kWrite) {
    for (std::uint32_t e = 0; e < EXP09_TABLE; ++e) results[e % config.block()] += fold(e);
  }
  return results;
}

// What check() says of an output that a workgroup of `made` left in each place of `config`'s. "": it is right.
std::string verdict(const Config& config, const Config& made, std::uint32_t wrong_words = 0) {
  bench::FakeDevice device;
  bench::Workbench bench(device, 42);
  bench::Buffer& out = bench.output("out", out_words(config));
  const std::vector<std::uint32_t> results = run_workgroup(made);
  for (std::uint64_t i = 0; i < out_words(config); ++i)
    bench::words_of<std::uint32_t>(out)[i] = results[i % results.size()] + (i < wrong_words ? 1 : 0);
  try {
    check(bench, out, config);
  } catch (const bench::Error& error) {
    return error.what();
  }
  return "";
}

TEST(SharedMemoryReference, FindsPlantedFaults) {
  for (const Kind kind : {Kind::kRead, Kind::kWrite}) {
    for (const std::uint32_t bytes : {4U, 8U, 16U}) {
      const Config right = strided(kind, bytes, 5, 0);
      EXPECT_EQ(verdict(right, right), "");
      EXPECT_NE(verdict(right, right, 1), "");
      EXPECT_NE(verdict(right, strided(kind, bytes, 6, 0)), "") << "another stride";
    }
    const Config padded = strided(kind, 4, 31, 1);
    EXPECT_EQ(verdict(padded, padded), "");
    EXPECT_NE(verdict(padded, strided(kind, 4, 31, 0)), "") << "no padding";
  }
}

TEST(SharedMemoryReference, NoLaneLeavesTheTable) {
  bench::Plan plan;
  plan.multiprocessors = 132;
  for (const Config& config : all_configs(plan)) {
    if (config.kind != Kind::kRead && config.kind != Kind::kWrite) continue;
    EXPECT_LE(first_element(31, config.stride, config.pad) + EXP09_SHIFTS, EXP09_TABLE) << config.stride;
  }
}

TEST(SharedMemoryModel, PredictsWavefronts) {
  EXPECT_EQ(strided(Kind::kRead, 4, 32, 0).wavefronts(), 32U);
  EXPECT_EQ(strided(Kind::kRead, 4, 32, 1).wavefronts(), 1U);
  EXPECT_EQ(strided(Kind::kRead, 4, 31, 1).wavefronts(), 31U);
  EXPECT_EQ(strided(Kind::kRead, 16, 1, 0).wavefronts(), 4U);
  Config aos;
  aos.kind = Kind::kStructs;
  aos.layout = &kLayouts[1];
  aos.fields = 1;
  EXPECT_EQ(aos.wavefronts(), 4U);
}

}  // namespace
