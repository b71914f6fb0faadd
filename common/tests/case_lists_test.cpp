// An experiment's own case list on cards that nobody has measured: every case fits the memory, and what is to be there all at
// once does. Its main() is compiled with this as experiment_main(), and run_main() takes what it describes.
#include <gtest/gtest.h>

#include <set>

#include "cards.h"

int experiment_main(int argc, char** argv);

namespace bench {
namespace {

Experiment described;

const Experiment& experiment() {
  static const bool once = experiment_main(0, nullptr) == 0;
  EXPECT_TRUE(once);
  return described;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of the function that it stands for
int run_main(int /*argc*/, char** /*argv*/, const Experiment& one, std::vector<std::unique_ptr<Backend>> /*backends*/) {
  described = one;
  return 0;
}

// No case is set up: neither the APIs nor the kernels are asked for.
namespace cuda {
std::unique_ptr<Backend> make_backend() { return nullptr; }
}  // namespace cuda
namespace vulkan {
std::unique_ptr<Backend> make_backend() { return nullptr; }
}  // namespace vulkan
namespace kernels {
std::span<const KernelImages> BENCH_TEST_SET() { return {}; }
}  // namespace kernels

namespace {

class CaseLists : public testing::TestWithParam<const Card*> {
 protected:
  Plan plan_ = plan_of(*GetParam());
  std::vector<Case> cases_ = choose_cases(experiment(), {}, plan_);
};
INSTANTIATE_TEST_SUITE_P(Cards, CaseLists, testing::ValuesIn(kCards),
                         [](const auto& one) { return "Card" + std::to_string(one.index); });

TEST_P(CaseLists, EveryCaseFitsTheMemoryTwice) {
  SCOPED_TRACE(GetParam()->name);
  for (const Case& one : cases_) {
    EXPECT_LE(2 * (one.footprint_bytes + plan_.sweep_bytes), GetParam()->memory_bytes)
        << case_name(experiment(), one, one.sides.front());
  }
}

TEST_P(CaseLists, WhatIsThereAllAtOnceFitsTheGpu) {
  SCOPED_TRACE(GetParam()->name);
  constexpr std::uint64_t kThreads = 256;
  const std::uint64_t resident = plan_.resident_blocks(kThreads);
  for (const Case& one : cases_) {
    const Side& side = one.sides.front();
    const std::string name = case_name(experiment(), one, side);
    if (side.variant == "read_window") {
      const std::uint64_t grid = std::stoull(side.params.text("grid"));
      EXPECT_EQ(grid, plan_.cpu ? 4 : resident) << name;
      EXPECT_LE(one.footprint_bytes, std::max<std::uint64_t>(2 * plan_.l2_bytes + (16U << 20), 128U << 20)) << name;
    } else if (side.variant.ends_with("_rate") && !plan_.cpu) {
      // 32 or 512 operations of a thread.
      const std::uint64_t threads = one.footprint_bytes / 64;
      EXPECT_TRUE(one.elements == 32 * threads || one.elements == 512 * threads) << name;
      EXPECT_LE(threads, kThreads * resident) << name;
      EXPECT_GT(2 * threads, kThreads * resident) << name << ": a full GPU";
    } else if (experiment().name == "exp06_litmus" && side.variant != "constant" && !plan_.cpu) {
      const std::uint64_t blocks = one.elements / kThreads / 8;
      EXPECT_LT(blocks, resident) << name << ": some blocks stress beside the test's";
      EXPECT_GE(4 * blocks, resident) << name;
    }
  }
}

TEST_P(CaseLists, BothCachesAreMet) {
  std::set<Cache> caches;
  for (const Case& one : cases_) caches.insert(one.cache);
  const std::string_view name = experiment().name;
  if (name.starts_with("exp01") || name.starts_with("exp02") || name.starts_with("exp05")) {
    EXPECT_EQ(caches.size(), 2U) << GetParam()->name;
  }
}

}  // namespace
}  // namespace bench
