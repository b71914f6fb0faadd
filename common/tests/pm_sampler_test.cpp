#include "cuda/counters/pm_sampler.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "temp_dir.h"

namespace bench::cuda {
namespace {

// A library in the place of CUPTI: see cycles_cupti.cpp.
class PmSampling : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(dlopen(BENCH_CYCLES_CUPTI, RTLD_NOW), nullptr) << dlerror(); }

  const std::vector<std::string> metrics_ = {"sm__inst_executed"};
};

TEST_F(PmSampling, FallsBackToClockCyclesWhereTimeIsNoTrigger) {
  PmSampler sampler(0);
  int done = 0;
  EXPECT_THAT(sampler.count(metrics_, [&] { ++done; }), testing::ElementsAre(30)) << "the first of four samples is left out";
  EXPECT_EQ(done, 1);
}

TEST_F(PmSampling, WithoutAnyTriggerSaysWhatTimeSaid) {
  PmSampler sampler(0);
  setenv("BENCH_TEST_NO_TRIGGER", "1", 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(message_of<Error>([&] { sampler.count(metrics_, [] {}); }),
                testing::HasSubstr("cuptiPmSamplingSetConfig: CUPTI error 1"));
  }
  unsetenv("BENCH_TEST_NO_TRIGGER");
}

}  // namespace
}  // namespace bench::cuda
