#include "core/experiment/verified_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/durable_file.h"
#include "core/experiment/verify.h"
#include "core/experiment/workbench.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kWords = 1000;

class VerifiedOutputsTest : public testing::Test {
 protected:
  VerifiedOutputs open(std::uint64_t input_seed = 1, const std::string& git_rev = "cafe") const {
    return {path_, {.experiment = "exp01_add", .git_rev = git_rev, .input_seed = input_seed}};
  }

  TempDir folder_;
  std::string path_ = folder_.file("run1/exp01_add.checksums");
  const VerifiedOutputs::Output output_ = {.name = "exp01/add,f32/n:4", .number = 1, .words = 68};
  const Checksum sum_ = {.lo = 0x0000000f, .hi = 0xfedcba98};
};

TEST_F(VerifiedOutputsTest, WhatWasNotedIsThereForTheNextRun) {
  {
    VerifiedOutputs first = open();
    EXPECT_FALSE(first.has(output_, sum_));
    first.note(output_, sum_);
    EXPECT_TRUE(first.has(output_, sum_));
    EXPECT_FALSE(first.has(output_, {.lo = sum_.lo, .hi = 0}));
  }
  EXPECT_TRUE(open().has(output_, sum_));
  EXPECT_FALSE(open().has({.name = output_.name, .number = 0, .words = 68}, sum_));
  EXPECT_FALSE(open().has({.name = output_.name, .number = 1, .words = 69}, sum_));
  EXPECT_THAT(read_file(path_), HasSubstr("exp01_add,cafe,1,\"exp01/add,f32/n:4\",1,68,fedcba980000000f\n"));
}

TEST_F(VerifiedOutputsTest, AnOutputMayBeOneThingOrAnother) {
  const Checksum other = {.lo = 1, .hi = 2};
  open().note(output_, sum_);
  open().note(output_, other);
  EXPECT_TRUE(open().has(output_, sum_));
  EXPECT_TRUE(open().has(output_, other));
}

TEST_F(VerifiedOutputsTest, WhatAnotherInputOrCommitHasVerifiedIsLeftOut) {
  open().note(output_, sum_);
  EXPECT_FALSE(open(2).has(output_, sum_));
  EXPECT_FALSE(open(1).has(output_, sum_)) << "it was left out for good";
  open().note(output_, sum_);
  EXPECT_FALSE(open(1, "beef").has(output_, sum_));
}

TEST_F(VerifiedOutputsTest, DamagedRowsAreLeftOut) {
  open().note(output_, sum_);
  const std::string sound = read_file(path_);
  for (const char* damage :
       {"fedcba980000000", "fedcba9g0000000f", "", "-1", "fedcba980000000f,more", "\"fedcba980000000f", "+edcba980000000f"}) {
    std::string text = sound;
    text.replace(text.find("fedc"), 16, damage);
    std::ofstream(path_) << text;
    EXPECT_FALSE(open().has(output_, sum_)) << damage;
  }
  std::ofstream(path_) << sound.substr(0, sound.size() - 1);  // cut short
  EXPECT_FALSE(open().has(output_, sum_));
}

TEST_F(VerifiedOutputsTest, RefusesWhatIsNoFileOfChecksums) {
  const std::string path = folder_.file("exp01.csv");
  std::ofstream(path) << "schema,experiment\n";
  const auto open_it = [&] { VerifiedOutputs(path, {}); };
  EXPECT_THAT(message_of<UsageError>(open_it), HasSubstr("this is no file of checksums"));
  EXPECT_EQ(read_file(path), "schema,experiment\n");
}

TEST_F(VerifiedOutputsTest, TwoProcessesNeverWriteOneFile) {
  const VerifiedOutputs first = open();
  EXPECT_THAT(message_of<Error>([&] { open(); }), HasSubstr("another process"));
}

TEST(ChecksumOf, TellsPositionsAndValuesApart) {
  std::vector<std::uint32_t> words(4096);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i % 3 == 0 ? 0 : random_bits(1, 0, i);
  const auto sum = [](std::span<const std::uint32_t> of) {
    Checksum result;
    result.add(0, of);
    return result;
  };
  const Checksum right = sum(words);
  std::set<std::string> seen = {right.text()};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t old = words[i];
    words[i] ^= 1U << i % 32;
    const Checksum wrong = sum(words);
    words[i] = old;
    EXPECT_NE(wrong.lo, right.lo) << "one wrong word changes each of the two sums";
    EXPECT_NE(wrong.hi, right.hi);
    EXPECT_TRUE(seen.insert(wrong.text()).second) << i;
  }
  std::swap(words[1], words[2]);
  EXPECT_NE(sum(words), right) << "neighbours that have changed places";
  std::swap(words[1], words[2]);
  std::rotate(words.begin(), words.begin() + 1, words.end());
  EXPECT_NE(sum(words), right);
}

TEST(ChecksumOf, PartsMayComeInAnyOrder) {
  std::vector<std::uint32_t> words(1000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_bits(1, 0, i);
  const std::span<const std::uint32_t> all = words;
  Checksum whole;
  whole.add(0, all);
  Checksum parts;
  parts.add(700, all.subspan(700));
  parts.add(0, all.first(300));
  Checksum middle;
  middle.add(300, all.subspan(300, 400));
  parts.add(middle);
  EXPECT_EQ(parts, whole);
}

// A case's output is `words_`, which its kernel wrote.
class ConfirmTest : public VerifiedOutputsTest {
 protected:
  void run(VerifiedOutputs* outputs, std::uint32_t wrong_word = ~0U) {
    device_.emplace();
    bench_.emplace(*device_, 1);
    bench_->use_verified_outputs(outputs);
    bench_->begin_case("case");
    Buffer& output = bench_->output("output", kWords);
    for (std::uint32_t i = 0; i < kWords; ++i) words_of<std::uint32_t>(output)[i] = i == wrong_word ? 0 : 7 * i + 1;
    verify<std::uint32_t>(*bench_, output, kWords, kGuardWords, [&](std::uint64_t i) {
      compared_ = true;
      return static_cast<std::uint32_t>(7 * i + 1);
    });
  }

  std::optional<FakeDevice> device_;
  std::optional<Workbench> bench_;
  bool compared_ = false;
};

TEST_F(ConfirmTest, WithoutAFileEveryOutputIsReadBack) {
  run(nullptr);
  EXPECT_TRUE(compared_);
  EXPECT_EQ(bench_->verified(), Verified::kFull);
  EXPECT_THROW(run(nullptr, 3), Error);
}

TEST_F(ConfirmTest, ASecondRunComparesChecksums) {
  VerifiedOutputs outputs = open();
  run(&outputs);
  EXPECT_TRUE(compared_);
  EXPECT_EQ(bench_->verified(), Verified::kFull);
  compared_ = false;
  run(&outputs);
  EXPECT_FALSE(compared_);
  EXPECT_EQ(bench_->verified(), Verified::kChecksum);
}

TEST_F(ConfirmTest, AWrongOutputOfASecondRunIsFoundAndShown) {
  VerifiedOutputs outputs = open();
  run(&outputs);
  EXPECT_THAT(message_of<Error>([&] { run(&outputs, 999); }), HasSubstr("[999] found 0, expected 6994"));
}

TEST_F(ConfirmTest, ATouchedGuardOfASecondRunIsFound) {
  VerifiedOutputs outputs = open();
  run(&outputs);
  Buffer& output = bench_->output("output", kWords);
  bench_->begin_case("case");
  const auto expected = [](std::uint64_t i) { return static_cast<std::uint32_t>(7 * i + 1); };
  for (std::uint32_t i = 0; i < kWords; ++i) words_of<std::uint32_t>(output)[i] = expected(i);
  words_of<std::uint32_t>(output)[kWords + 5] = 1;
  const auto check = [&] { verify<std::uint32_t>(*bench_, output, kWords, kGuardWords, expected); };
  EXPECT_THAT(message_of<Error>(check), HasSubstr("past its end"));
}

TEST_F(ConfirmTest, AWrongOutputIsNeverNoted) {
  VerifiedOutputs outputs = open();
  EXPECT_THROW(run(&outputs, 3), Error);
  compared_ = false;
  run(&outputs);
  EXPECT_TRUE(compared_);
}

TEST_F(ConfirmTest, AnOutputThatIsNewIsReadBack) {
  VerifiedOutputs outputs = open();
  for (std::uint32_t value : {5U, 6U}) {
    FakeDevice device;
    Workbench bench(device, 1);
    bench.use_verified_outputs(&outputs);
    bench.begin_case("case");
    Buffer& output = bench.output("output", 1);
    words_of<std::uint32_t>(output)[0] = value;
    verify<std::uint32_t>(bench, output, 1, kGuardWords, [&](std::uint64_t) { return value; });
    EXPECT_EQ(bench.verified(), Verified::kFull) << value;
  }
}

// Of outputs that must be the same words one is read back, whatever the case.
TEST_F(ConfirmTest, CasesWithOneReferenceGoByOneChecksum) {
  VerifiedOutputs outputs = open();
  FakeDevice device;
  Workbench bench(device, 1);
  bench.use_verified_outputs(&outputs);
  const auto run = [&](const std::string& name, const std::string& reference, std::uint32_t words, std::uint32_t value) {
    bench.begin_case(name);
    Buffer& output = bench.output("output", words);
    for (std::uint32_t i = 0; i < words; ++i) words_of<std::uint32_t>(output)[i] = value;
    verify<std::uint32_t>(bench, reference, output, words, kGuardWords, [](std::uint64_t) { return 7U; });
    return bench.verified();
  };
  EXPECT_EQ(run("one", "sevens", 10, 7), Verified::kFull);
  EXPECT_EQ(run("another", "sevens", 10, 7), Verified::kChecksum);
  EXPECT_THAT(message_of<Error>([&] { run("a third", "sevens", 10, 8); }), HasSubstr("[0] found 8, expected 7"));
  EXPECT_EQ(run("more words", "sevens", 11, 7), Verified::kFull);
  EXPECT_EQ(run("another reference", "threes and fours", 10, 7), Verified::kFull);
  EXPECT_EQ(run("none", "", 10, 7), Verified::kFull);
  EXPECT_EQ(run("none", "", 10, 7), Verified::kChecksum);
}

TEST_F(ConfirmTest, ADeviceWhoseChecksumIsNotThatOfTheOutputIsFound) {
  VerifiedOutputs outputs = open();
  FakeDevice device;
  Workbench bench(device, 1);
  bench.use_verified_outputs(&outputs);
  bench.begin_case("case");
  const Buffer& output = bench.output("output", kWords);
  const auto check = [&] { bench.confirm("", output, kWords, [] { return Checksum{1, 2}; }); };
  EXPECT_THAT(message_of<Error>(check), HasSubstr("that of what was read back is 0000000200000001"));
}

}  // namespace
}  // namespace bench
