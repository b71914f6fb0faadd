// Every thread of a crew works, each time, and the caller comes back when all have.
#include "crew.h"

#include <gtest/gtest.h>

#include <array>

namespace {

TEST(Crew, EachThreadDoesItsPartEachTime) {
  std::array<int, 5> done{};
  Crew crew(5);
  EXPECT_EQ(crew.threads(), 5U);
  for (int round = 1; round <= 100; ++round) {
    crew.run([&](std::uint32_t i) { ++done.at(i); });
    for (const int times : done) ASSERT_EQ(times, round);
  }
}

TEST(Crew, OneThreadIsTheCallers) {
  Crew crew(1);
  std::thread::id found;
  crew.run([&](std::uint32_t) { found = std::this_thread::get_id(); });
  EXPECT_EQ(found, std::this_thread::get_id());
}

}  // namespace
