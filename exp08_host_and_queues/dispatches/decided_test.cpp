// What the device decides about, done on the CPU: as it should be, and with a fault planted.
#include "decided.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

using Words = std::vector<std::uint32_t>;

struct Faults {
  bool ignores_decision = false;  // the kernel runs whatever was decided
  bool never_runs = false;
  int steps_more = 0;      // of a loop
  bool is_shared = false;  // every branch or step has the first one's words
};

Words left_by(const Config& config, const Faults& faults = {}) {
  Words words(decided_words(config), bench::kPoison);
  const auto mark = [&](std::uint32_t step) {
    for (std::uint32_t block = 0; block < config.blocks; ++block) {
      const std::uint32_t at = (faults.is_shared ? 0 : step * config.blocks) + block;
      if (at < words.size()) words[at] = EXP08_TAG(at);
    }
  };
  if (config.is_loop()) {
    for (int step = 0; step < static_cast<int>(config.dispatches) + faults.steps_more; ++step) {
      if (!faults.never_runs) mark(static_cast<std::uint32_t>(step));
    }
    return words;
  }
  for (std::uint32_t i = 0; i < config.dispatches; ++i) {
    const DecideParams params = decide_params(config, i, {});
    for (std::uint32_t block = 0; block < params.blocks; ++block) words[params.first + block] = EXP08_NOT_RUN;
    if ((params.runs != 0 || faults.ignores_decision) && !faults.never_runs) mark(i);
  }
  return words;
}

bool passes(const Config& config, const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != decided_word(config, i)) return false;
  }
  return true;
}

Config of(DispatchMethod way, std::uint32_t blocks = 3) {
  return {.name = "", .way = way, .dispatches = 5, .blocks = blocks, .work_ns = 0};
}

TEST(Decided, WhatIsRightPasses) {
  for (const DispatchMethod way : {DispatchMethod::kKnown, DispatchMethod::kTaken, DispatchMethod::kNotTaken,
                                   DispatchMethod::kKnownLoop, DispatchMethod::kWhile, DispatchMethod::kTail}) {
    EXPECT_TRUE(passes(of(way), left_by(of(way)))) << static_cast<int>(way);
  }
}

TEST(Decided, AKernelThatRunsAgainstTheDecisionIsFound) {
  EXPECT_FALSE(passes(of(DispatchMethod::kNotTaken), left_by(of(DispatchMethod::kNotTaken), {.ignores_decision = true})));
  for (const DispatchMethod way : {DispatchMethod::kKnown, DispatchMethod::kTaken})
    EXPECT_FALSE(passes(of(way), left_by(of(way), {.never_runs = true})));
}

TEST(Decided, ALoopOfTooManyOrTooFewStepsIsFound) {
  for (const DispatchMethod way : {DispatchMethod::kKnownLoop, DispatchMethod::kWhile, DispatchMethod::kTail}) {
    for (const int more : {-5, -1, 1, 7}) EXPECT_FALSE(passes(of(way), left_by(of(way), {.steps_more = more}))) << more;
  }
}

TEST(Decided, EveryBranchAndStepHasWordsOfItsOwn) {
  for (const DispatchMethod way : {DispatchMethod::kTaken, DispatchMethod::kWhile})
    EXPECT_FALSE(passes(of(way), left_by(of(way), {.is_shared = true})));
}

TEST(Decided, TheStateTellsStepsAndNoError) {
  EXPECT_EQ(decided_state(of(DispatchMethod::kWhile), EXP08_STATE_DONE), 5U);
  EXPECT_EQ(decided_state(of(DispatchMethod::kWhile), EXP08_STATE_ERROR), 0U);
}

TEST(Decided, ATargetOf64BitsIsHandedOnWhole) {
  const Decision decision = decision_for(0x123456789abcdef0U);
  EXPECT_EQ(decision.target_high, 0x12345678U);
  EXPECT_EQ(decision.target_low, 0x9abcdef0U);
}

}  // namespace
