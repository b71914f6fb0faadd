// A kernel that is right only sometimes does not get through verification: the tile's program without the fence before its
// store spoils a few tiles of thousands, and often none. Skipped without a GPU that has tensor copies.
#include "tile.h"

#include <gtest/gtest.h>

#include <optional>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/workbench.h"

namespace {

constexpr int kTries = 20;
constexpr int kLooks = 100;  // so many launches take a few milliseconds

class Tile : public testing::Test {
 protected:
  void SetUp() override {
    const auto cuda = std::move(bench::all_backends().front());
    for (const bench::DeviceInfo& info : cuda->list()) {
      if (!device_ && std::stoi(info.arch.substr(3)) >= 90) device_ = cuda->open(info, {});
    }
    if (!device_) GTEST_SKIP() << "no GPU of compute capability 9.0 or more";
  }

  // After how many launches beyond the first, if at all, a wrong tile was seen.
  std::optional<int> seen_after(std::string_view left_out) {
    bench::Workbench bench(*device_, 42);
    bench.begin_case("tile");
    const TileCase one = {.left_out = left_out, .pressure = 16, .instances = 8192, .must_be_right = true};
    try {
      const bench::Prepared prepared = set_up_tile(bench, one);
      const auto remaking = bench.to_remake();
      for (int look = 1; look <= kLooks; ++look) {
        try {
          bench.remake(*remaking, [&] { prepared.subject->time_device({.batch = 1, .lead_in = 0, .evict_l2 = false}); });
        } catch (const bench::Error&) {
          return look;
        }
      }
    } catch (const bench::Error&) {
      return 0;
    }
    return {};
  }

  std::unique_ptr<bench::Device> device_;
};

TEST_F(Tile, TheWholeProgramIsRightEveryTime) { EXPECT_EQ(seen_after(""), std::nullopt); }

TEST_F(Tile, WithoutTheStoresFenceItIsFoundOut) {
  int at_once = 0;
  int found = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::optional<int> after = seen_after("store_fence");
    found += after ? 1 : 0;
    at_once += after == 0 ? 1 : 0;
  }
  RecordProperty("found_by_the_first_look", at_once);
  RecordProperty("found_by_more_looks", found);
  std::printf("of %d, %d found by the first look, %d by %d more\n", kTries, at_once, found, kLooks);
  EXPECT_GE(found, kTries - 1);
}

}  // namespace
