// The reference against a plain simulation, and planted faults against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "reference.h"
#include "variants.h"

namespace {

// What a launch leaves whose operations come one after another.
Left simulated(const Config& config) {
  Left left;
  const std::uint32_t words[2] = {first_word(config.op, config.type), first_word(config.op, config.type)};
  const double first = numbers(std::span(words).first(bytes_of(config.type) / 4), config.type).front();
  left.data.assign(std::size_t{config.addresses} * config.groups(), first);
  left.returned.assign(config.threads, 0);
  left.turns.assign(config.loops() ? config.threads : 0, config.steps);
  for (std::uint32_t thread = 0; thread < config.threads; ++thread) {
    for (std::uint32_t step = 0; step < config.steps; ++step) {
      const std::uint32_t group = thread / config.group_threads();
      const std::uint32_t op = thread % config.group_threads() + step * config.group_threads();
      double& word = left.data[group * config.addresses + EXP09_ADDRESS(op, config.addresses - 1)];
      left.returned[thread] += word;
      if (config.op == Op::kMin) {
        word = std::min<double>(word, config.type == Type::kF16x2 ? EXP09_LEAST_HALF(op) : EXP09_LEAST(op));
      } else {
        word = config.op == Op::kExchange ? EXP09_NAME(op) : word + 1;
      }
    }
  }
  return left;
}

class Atomics : public testing::TestWithParam<Config> {};

TEST_P(Atomics, WhatASimulationLeavesIsRight) { EXPECT_EQ(wrong(GetParam(), simulated(GetParam())), ""); }

// Two threads read a word, and each stores its own: one operation's mark is gone.
TEST_P(Atomics, ALostUpdateIsWrong) {
  Left left = simulated(GetParam());
  const bool exchange = GetParam().op == Op::kExchange;
  if (exchange) {
    left.returned.front() += 1;  // what another thread got, too
  } else {
    left.data.back() -= 1;
  }
  EXPECT_NE(wrong(GetParam(), left), "");
}

TEST_P(Atomics, AWordNobodyWroteIsWrong) {
  Left left = simulated(GetParam());
  left.data.front() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(wrong(GetParam(), left), "");
}

// Of those that have results or loops; what nobody looks at may be anything.
TEST_P(Atomics, WhatComesBackIsComparedWhereItIsUsed) {
  Left left = simulated(GetParam());
  left.returned.back() += 1;  // what another thread got
  EXPECT_EQ(wrong(GetParam(), left).empty(), !GetParam().used);
}

TEST_P(Atomics, ALoopThatGaveUpIsWrong) {
  Left left = simulated(GetParam());
  left.turns.assign(left.turns.size(), EXP09_GAVE_UP);
  EXPECT_EQ(wrong(GetParam(), left).empty(), !GetParam().loops());
}

INSTANTIATE_TEST_SUITE_P(
    , Atomics,
    testing::Values(
        Config{Op::kAdd, Type::kI32, false, true, 1, 512, 8}, Config{Op::kAdd, Type::kF64, true, true, 32, 512, 8},
        Config{Op::kAdd, Type::kF16x2, false, false, 1024, 512, 8}, Config{Op::kAdd, Type::kF16x2, false, true, 1024, 512, 8},
        Config{Op::kAddGeneric, Type::kF16x2, false, false, 1024, 512, 8},
        Config{Op::kMin, Type::kF16x2, false, false, 4096, 512, 4}, Config{Op::kCas, Type::kF16x2, false, false, 1024, 512, 8},
        Config{Op::kAddKnown, Type::kI32, false, false, 1, 512, 8}, Config{Op::kAddKnown, Type::kI32, false, true, 1, 512, 8},
        Config{Op::kMin, Type::kI32, false, false, 4096, 512, 4}, Config{Op::kMin, Type::kI64, true, false, 32, 512, 8},
        Config{Op::kExchange, Type::kF32, false, true, 32, 512, 8}, Config{Op::kExchange, Type::kI64, true, true, 1024, 512, 8},
        Config{Op::kCas, Type::kF32, false, false, 1, 512, 1}, Config{Op::kFirst, Type::kF32, true, false, 1, 512, 8}),
    [](const auto& one) { return one.param.kernel() + "_" + std::to_string(one.param.addresses); });

TEST(Numbers, AreThoseOfTheirTypes) {
  const auto one = [](std::uint32_t low, std::uint32_t high, Type type) {
    const std::uint32_t words[2] = {low, high};
    return numbers(std::span(words).first(bytes_of(type) / 4), type).front();
  };
  EXPECT_EQ(one(0xffffffff, 0, Type::kI32), -1);
  EXPECT_EQ(one(5, 1, Type::kI64), 4294967301.);
  EXPECT_EQ(one(std::bit_cast<std::uint32_t>(2.5F), 0, Type::kF32), 2.5);
  EXPECT_EQ(one(0, 0x40080000, Type::kF64), 3);
  EXPECT_EQ(one(0x68006800, 0, Type::kF16x2), 2048);
  EXPECT_EQ(one(0, 0, Type::kF16x2), 0);
  EXPECT_NE(one(0x68003c00, 0, Type::kF16x2), one(0x68003c00, 0, Type::kF16x2)) << "halves that differ are no number";
}

}  // namespace
