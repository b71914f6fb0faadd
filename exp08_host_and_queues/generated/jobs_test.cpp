// Jobs as the GPU runs them, done on the CPU: as it should be, and with a fault planted.
#include "jobs.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

constexpr std::uint32_t kUntouched = 7;

struct Faults {
  bool ignores_count = false;  // jobs that were not to run do
  bool ignores_grid = false;   // each job has the most blocks
  bool is_short = false;       // the last job's last block is missing
  bool is_shared = false;      // every job has the first one's words
};

std::vector<std::uint32_t> left_by(const JobsConfig& config, const Faults& faults = {}) {
  std::vector<std::uint32_t> words(config.blocks(), kUntouched);
  const std::uint32_t runs = faults.ignores_count ? config.jobs : config.runs;
  for (std::uint32_t job = 0; job < config.jobs; ++job) {
    if (!config.does_run(job) && !faults.ignores_count) continue;
    std::uint32_t blocks = faults.ignores_grid ? EXP08_MOST_BLOCKS : EXP08_JOB_BLOCKS(job);
    if (faults.is_short && job + 1 == runs) --blocks;
    const std::uint32_t first = faults.is_shared ? 0 : params_of({}, job).first;
    for (std::uint32_t block = first; block < first + blocks; ++block) words[block] = EXP08_TAG(block);
  }
  return words;
}

bool is_right(const JobsConfig& config, const std::vector<std::uint32_t>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != word_after(config, i, kUntouched)) return false;
  }
  return true;
}

TEST(Jobs, LeaveWhatTheReferenceExpects) {
  for (const std::uint32_t runs : {0U, 1U, 10U, 20U}) {
    const JobsConfig config = {.variant = "planned", .jobs = 20, .runs = runs};
    EXPECT_TRUE(is_right(config, left_by(config))) << runs;
  }
}

TEST(Jobs, AFaultShows) {
  const JobsConfig half = {.variant = "culled", .jobs = 20, .runs = 10};
  EXPECT_FALSE(is_right(half, left_by(half, {.ignores_count = true})));
  EXPECT_FALSE(is_right(half, left_by(half, {.ignores_grid = true})));
  EXPECT_FALSE(is_right(half, left_by(half, {.is_short = true})));
  EXPECT_FALSE(is_right(half, left_by(half, {.is_shared = true})));
}

TEST(Jobs, RunHereAndThere) {
  for (const std::uint32_t jobs : {20U, 1000U}) {
    for (const std::uint32_t runs : {0U, jobs / 2, jobs * 9 / 10, jobs}) {
      const JobsConfig config = {.variant = "scattered", .jobs = jobs, .runs = runs};
      std::uint32_t found = 0;
      for (std::uint32_t job = 0; job < jobs; ++job) found += config.does_run(job) ? 1 : 0;
      EXPECT_EQ(found, runs) << jobs;
      EXPECT_TRUE(is_right(config, left_by(config)));
    }
    const JobsConfig half = {.variant = "scattered", .jobs = jobs, .runs = jobs / 2};
    EXPECT_FALSE(is_right(half, left_by({.variant = "culled", .jobs = jobs, .runs = jobs / 2}))) << "the first ones";
  }
}

TEST(Jobs, HaveOneToTheMostBlocks) {
  std::vector<std::uint32_t> seen(EXP08_MOST_BLOCKS + 1);
  for (std::uint32_t job = 0; job < 1000; ++job) {
    ASSERT_GE(EXP08_JOB_BLOCKS(job), 1U);
    ASSERT_LE(EXP08_JOB_BLOCKS(job), EXP08_MOST_BLOCKS);
    ++seen[EXP08_JOB_BLOCKS(job)];
  }
  for (std::uint32_t blocks = 1; blocks <= EXP08_MOST_BLOCKS; ++blocks) EXPECT_NEAR(seen[blocks], 250, 25) << blocks;
}

}  // namespace
