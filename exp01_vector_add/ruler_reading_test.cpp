// The ruler's arithmetic, on words that no kernel wrote.
#include "ruler_reading.h"

#include <gtest/gtest.h>

#include <vector>

#include "params.h"

namespace {

constexpr double kTickNs = 2;

// A ruler's buffer; every word that no launch has written would spoil what is read.
class Stamps {
 public:
  explicit Stamps(std::uint32_t blocks)
      : blocks_(blocks), words_(RULER_HEAD + std::size_t{RULER_SLOTS} * blocks * RULER_WORDS, 0x55555555U) {
    words_[RULER_LAUNCHES] = 0;
  }
  // The next launch: the first and last tick of each of its blocks.
  Stamps& launch(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& blocks, std::uint32_t step = 16) {
    const std::uint32_t slot = words_[RULER_LAUNCHES]++ % RULER_SLOTS;
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      std::uint32_t* mine = &words_[RULER_HEAD + (std::size_t{slot} * blocks_ + block) * RULER_WORDS];
      mine[0] = blocks[block].first;
      mine[1] = blocks[block].second;
      mine[2] = step;
    }
    return *this;
  }
  Stamps& after(std::uint32_t launches) {
    words_[RULER_LAUNCHES] = launches;
    return *this;
  }
  Reading read(std::uint32_t batch, double stamped_ns) const {
    return read_stamps(words_, blocks_, batch, kTickNs, stamped_ns);
  }

 private:
  std::uint32_t blocks_;
  std::vector<std::uint32_t> words_;
};

TEST(Ruler, OneLaunchOfOneBlock) {
  const Reading reading = Stamps(1).launch({{1000, 1500}}).read(1, 1700);
  EXPECT_DOUBLE_EQ(reading.own, 1000);
  EXPECT_DOUBLE_EQ(reading.outside, 700);
  EXPECT_DOUBLE_EQ(reading.gap, 0);
  EXPECT_DOUBLE_EQ(reading.step, 32);
}

// The first block need not begin first, nor the last one end last.
TEST(Ruler, ALaunchGoesFromItsFirstBlocksBeginningToItsLastBlocksEnd) {
  const Reading reading = Stamps(3).launch({{1010, 1600}, {1000, 1500}, {1020, 1550}}).read(1, 1300);
  EXPECT_DOUBLE_EQ(reading.own, 2 * 600);
  EXPECT_DOUBLE_EQ(reading.outside, 100);
}

TEST(Ruler, OfABatchTheMeansAndTheGapsBetween) {
  Stamps stamps(2);
  stamps.launch({{0, 9}, {0, 9}});  // before the batch
  stamps.launch({{1000, 1100}, {1001, 1101}}).launch({{1111, 1211}, {1110, 1210}}, 8).launch({{1240, 1341}, {1241, 1340}});
  const Reading reading = stamps.read(3, 1000);
  EXPECT_DOUBLE_EQ(reading.own, 2 * 101);               // each lasts 101 ticks
  EXPECT_DOUBLE_EQ(reading.gap, 2 * (9.0 + 29.0) / 2);  // 1101 to 1110, 1211 to 1240
  EXPECT_DOUBLE_EQ(reading.outside, 1000 - 2 * (1341 - 1000));
  EXPECT_DOUBLE_EQ(reading.step, 16);
}

TEST(Ruler, TheClocksLowWordMayOverflow) {
  for (const std::uint32_t begin : {0xffffff00U, 0xffffffffU, 0x7fffff00U}) {
    const auto at = [begin](std::uint32_t ticks) { return begin + ticks; };
    const Reading reading =
        Stamps(2).launch({{at(5), at(300)}, {at(0), at(290)}}).launch({{at(310), at(600)}, {at(320), at(610)}}).read(2, 1500);
    EXPECT_DOUBLE_EQ(reading.own, 300 * kTickNs) << begin;
    EXPECT_DOUBLE_EQ(reading.gap, 10 * kTickNs) << begin;
    EXPECT_DOUBLE_EQ(reading.outside, 1500 - 610 * kTickNs) << begin;
  }
}

// The slots of launches long ago are written anew, and a batch may begin behind their end.
TEST(Ruler, ABatchGoesRoundTheSlots) {
  Stamps stamps(1);
  stamps.after(3 * RULER_SLOTS - 2);
  for (std::uint32_t i = 0; i < 4; ++i) stamps.launch({{1000 * i, 1000 * i + 900}});
  const Reading reading = stamps.read(4, 8000);
  EXPECT_DOUBLE_EQ(reading.own, 1800);
  EXPECT_DOUBLE_EQ(reading.gap, 200);
  EXPECT_DOUBLE_EQ(reading.outside, 8000 - 7800);
}

}  // namespace
