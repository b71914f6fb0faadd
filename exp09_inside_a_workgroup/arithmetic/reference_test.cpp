#include "reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/experiment/verify.h"
#include "fake_device.h"

namespace {

class ArithmeticReference : public testing::Test {
 protected:
  bench::FakeDevice device_;
  bench::Workbench bench_{device_, 42};

  // An output made by `make(thread)`.
  template <class Make>
  const bench::Buffer& output(const Config& config, const Make& make) {
    bench::Buffer& out = bench_.output("out", config.threads());
    using Word = decltype(make(0U));
    for (std::uint32_t i = 0; i < config.threads(); ++i) bench::words_of<Word>(out)[i] = make(i);
    return out;
  }
};

Config of(Kind kind) {
  Config config;
  config.kind = kind;
  config.small = true;
  return config;
}

TEST(Ulps, CountsUnitsOfTheLastPlace) {
  EXPECT_EQ(ulps(1.0F, 1.0), 0);
  EXPECT_EQ(ulps(std::nextafter(1.0F, 2.0F), 1.0), 1);
  EXPECT_EQ(ulps(1.0F, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(ulps(std::numeric_limits<float>::quiet_NaN(), 1.0), std::numeric_limits<double>::infinity());
}

TEST_F(ArithmeticReference, FunctionsAreJudgedByTheirError) {
  Config config = of(Kind::kPrecision);
  config.function = &kFunctions[EXP09_DIVIDE];
  const auto rounded = [&](std::uint32_t i) { return bench_.input_value(0, i) / bench_.input_value(1, i); };
  const bench::Values right = check(bench_, output(config, rounded), config);
  EXPECT_LE(right.find("max_ulp")->real().value(), 0.5);
  const auto farther = [&](std::uint32_t i) { return i == 5 ? std::nextafter(rounded(i), 100.0F) : rounded(i); };
  EXPECT_GT(check(bench_, output(config, farther), config).find("max_ulp")->real().value(), 0.5);
  EXPECT_THROW(check(bench_, output(config, [&](std::uint32_t i) { return i == 5 ? 0.0F : rounded(i); }), config),
               bench::Error);
}

TEST_F(ArithmeticReference, OnlyRoundedOrFusedProductsPass) {
  Config config = of(Kind::kPrecision);
  config.function = &kFunctions[EXP09_CONTRACT];
  const auto fused = [&](std::uint32_t i) {
    const float x = bench_.input_value(0, i);
    const float y = bench_.input_value(1, i);
    return std::fma(x, y, -(x * y));
  };
  const auto share = [&](const auto& make) {
    return check(bench_, output(config, make), config).find("contracted_pct")->real().value();
  };
  EXPECT_EQ(share([](std::uint32_t) { return 0.0F; }), 0);
  EXPECT_GT(share(fused), 95);
  EXPECT_THROW(share([](std::uint32_t i) { return i == 3 ? 1e-3F : 0.0F; }), bench::Error);
}

TEST_F(ArithmeticReference, SumsAreJudgedByTheirBits) {
  Config config = of(Kind::kSum);
  config.mode = "compensated_default";
  const auto compensated = [&](std::uint32_t t) { return compensated_sum(bench_, t, config.threads(), config.terms()); };
  const bench::Values right = check(bench_, output(config, compensated), config);
  EXPECT_EQ(right.find("as_written_pct")->real().value(), 100);
  EXPECT_LE(right.find("max_ulp")->real().value(), 1);
  const auto plain = [&](std::uint32_t t) {
    float sum = 0;
    for (std::uint32_t k = 0; k < config.terms(); ++k)
      sum += std::abs(bench_.input_value(0, std::uint64_t{k} * config.threads() + t));
    return sum;
  };
  const bench::Values lost = check(bench_, output(config, plain), config);
  EXPECT_LT(lost.find("as_written_pct")->real().value(), 90);
  EXPECT_GT(lost.find("max_ulp")->real().value(), 1);
  EXPECT_THROW(check(bench_, output(config, [&](std::uint32_t t) { return t == 9 ? 0.0F : plain(t); }), config), bench::Error);
}

TEST_F(ArithmeticReference, PathsAndTurnsThatAreLeftOutAreFound) {
  Config branch = of(Kind::kBranch);
  branch.ways = 4;
  EXPECT_NO_THROW(check(bench_, output(branch, [&](std::uint32_t t) { return branched(branch, t); }), branch));
  Config other = branch;
  other.shift = 5;
  EXPECT_THROW(check(bench_, output(branch, [&](std::uint32_t t) { return branched(other, t); }), branch), bench::Error);
  const Config loop = of(Kind::kLoop);
  EXPECT_NO_THROW(check(bench_, output(loop, [&](std::uint32_t t) { return looped(loop, t); }), loop));
  EXPECT_THROW(check(bench_, output(loop, [&](std::uint32_t t) { return looped(loop, t) + (t == 300); }), loop), bench::Error);
}

}  // namespace
