// What the host times is done as often as it is asked for: --count divides by that.
#include "host_timed.h"

#include <gtest/gtest.h>

namespace {

TEST(HostTimed, ABatchIsDoneSoOften) {
  int done = 0;
  HostTimed timed([&]() -> bench::HostTimes {
    ++done;
    return {.roundtrip_ns = 100, .submit_ns = 10};
  });
  const bench::HostTimes times = timed.time_host(5);
  EXPECT_EQ(done, 5);
  EXPECT_EQ(times.roundtrip_ns, 500);
  EXPECT_EQ(times.submit_ns, 50);
  EXPECT_THROW(timed.time_device({}), bench::Error) << "it is no GPU time";
}

}  // namespace
