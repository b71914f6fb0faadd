// What has not arrived is seen.
#include "arrived.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "core/base/error.h"
#include "fake_device.h"

namespace {

constexpr std::uint64_t kWords = 10'000;

class Arrived : public testing::Test {
 protected:
  Arrived() {
    for (std::uint64_t i = 0; i < kWords; ++i) words_.push_back(std::bit_cast<std::uint32_t>(bench_.input_value(0, i)));
  }
  std::span<std::byte> memory() { return std::as_writable_bytes(std::span(words_)); }

  bench::FakeDevice device_;
  bench::Workbench bench_{device_, 7};
  std::vector<std::uint32_t> words_;
};

TEST_F(Arrived, WhatIsThereIsThere) {
  EXPECT_NO_THROW(check_arrived(bench_, memory()));
  EXPECT_NO_THROW(check_arrived(bench_, memory(), 3));
  EXPECT_NO_THROW(check_arrived(bench_, memory().first(4)));
}

TEST_F(Arrived, OneWrongWordIsSeenWhereverItIs) {
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1}, kWords / 2, kWords - 1}) {
    words_[at] ^= 1;
    EXPECT_THROW(check_arrived(bench_, memory()), bench::Error) << at;
    words_[at] ^= 1;
  }
}

TEST_F(Arrived, FewLooksSeeBothEnds) {
  words_.back() ^= 1;
  EXPECT_THROW(check_arrived(bench_, memory(), 3), bench::Error);
  words_.back() ^= 1;
  words_.front() ^= 1;
  EXPECT_THROW(check_arrived(bench_, memory(), 3), bench::Error);
}

TEST_F(Arrived, WhatIsSpoiledIsNoLongerThere) {
  spoil(memory(), 3);
  EXPECT_THROW(check_arrived(bench_, memory(), 3), bench::Error);
}

}  // namespace
