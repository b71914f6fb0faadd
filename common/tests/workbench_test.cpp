#include "core/experiment/workbench.h"

#include <gtest/gtest.h>

#include "core/experiment/verify.h"
#include "fake_device.h"

namespace bench {
namespace {

constexpr std::uint64_t kInputWords = 10000;

class WorkbenchTest : public testing::Test {
 protected:
  FakeDevice device_;
  Workbench workbench_{device_, 42};

  void expect_input(const Buffer& buffer, std::uint32_t stream, std::uint64_t words) {
    ASSERT_GE(buffer.bytes(), words * 4);
    for (std::uint64_t i = 0; i < words; ++i) ASSERT_EQ(words_of<float>(buffer)[i], random_float(42, stream, i)) << i;
  }
};

TEST_F(WorkbenchTest, InputIsTheSeededStream) {
  expect_input(workbench_.input(0, kInputWords), 0, kInputWords);
  expect_input(workbench_.input(1, kInputWords), 1, kInputWords);
  EXPECT_EQ(workbench_.input_value(1, 17), random_float(42, 1, 17));
  EXPECT_EQ(device_.allocations, 2U);
}

TEST_F(WorkbenchTest, InputIsTheSameInEveryRun) {
  Workbench other_run(device_, 42, 7);
  expect_input(other_run.input(0, kInputWords), 0, kInputWords);
  EXPECT_EQ(other_run.run_seed(), 7U);
  EXPECT_EQ(other_run.input_seed(), workbench_.input_seed());
}

TEST_F(WorkbenchTest, CyclesAreThoseOfAClockThatIsLongEnough) {
  EXPECT_EQ(workbench_.if_counted({{"cycles", 3.0}}).find("cycles")->real(), 3.0);
  DeviceInfo info = device_.info();
  info.counts_cycles = false;
  FakeDevice other(info);
  EXPECT_EQ(Workbench(other, 42).if_counted({{"cycles", 3.0}}).find("cycles"), nullptr);
}

TEST_F(WorkbenchTest, InputIsFilledOnce) {
  const Buffer* first = &workbench_.input(0, kInputWords);
  EXPECT_EQ(device_.uploaded_bytes, kInputWords * 4);
  EXPECT_EQ(&workbench_.input(0, kInputWords), first);
  EXPECT_EQ(&workbench_.input(0, kInputWords / 2), first) << "a smaller wish takes the larger buffer";
  EXPECT_EQ(device_.uploaded_bytes, kInputWords * 4);
}

TEST_F(WorkbenchTest, MadeInputIsMadeOnceAName) {
  std::uint32_t calls = 0;
  const auto count_up = [&](std::uint64_t done, std::span<std::byte> chunk) {
    ++calls;
    const std::span words(reinterpret_cast<std::uint32_t*>(chunk.data()), chunk.size() / 4);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(done / 4 + i);
  };
  const Buffer& made = workbench_.made_input("counted", kInputWords, count_up);
  for (std::uint32_t i = 0; i < kInputWords; ++i) ASSERT_EQ(words_of<std::uint32_t>(made)[i], i);
  const std::uint32_t first_calls = calls;
  EXPECT_EQ(&workbench_.made_input("counted", kInputWords, count_up), &made);
  EXPECT_EQ(calls, first_calls);
  EXPECT_NE(&workbench_.made_input("another", kInputWords, count_up), &made);
  EXPECT_GT(calls, first_calls);
}

TEST_F(WorkbenchTest, PeerHasTheSameInputOnItsOwnDevice) {
  EXPECT_THROW(workbench_.peer(), Skip);
  FakeDevice other;
  device_.peer_device = &other;
  const Buffer& there = workbench_.peer().input(0, kInputWords);
  expect_input(there, 0, kInputWords);
  EXPECT_EQ(&workbench_.peer().input(0, kInputWords), &there);
  EXPECT_EQ(device_.allocations, 0U);
  EXPECT_EQ(other.allocations, 1U);
  workbench_.release_buffers();
  EXPECT_TRUE(other.live.empty());
}

TEST_F(WorkbenchTest, InputGrows) {
  workbench_.input(0, 100);
  expect_input(workbench_.input(0, kInputWords), 0, kInputWords);
  EXPECT_EQ(device_.live.size(), 1U) << "the smaller one is gone";
}

TEST_F(WorkbenchTest, InputSpansSeveralUploads) {
  constexpr std::uint64_t kTwoChunks = (16ULL << 20) + 5;  // words; one upload moves 16 Mi
  const Buffer& input = workbench_.input(3, kTwoChunks);
  for (const std::uint64_t i : {std::uint64_t{0}, kTwoChunks - 6, kTwoChunks - 5, kTwoChunks - 1}) {
    EXPECT_EQ(words_of<float>(input)[i], random_float(42, 3, i)) << i;
  }
}

TEST_F(WorkbenchTest, OutputIsPoisonedAnewGuardIncluded) {
  Buffer& output = workbench_.output("output", kInputWords);
  ASSERT_EQ(output.bytes(), (kInputWords + kGuardWords) * 4);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < kInputWords + kGuardWords; ++i) ASSERT_EQ(words_of<std::uint32_t>(output)[i], kPoison) << i;
    std::fill_n(words_of<std::uint32_t>(output), kInputWords + kGuardWords, 0);
    EXPECT_EQ(&workbench_.output("output", kInputWords), &output);
  }
  EXPECT_EQ(device_.allocations, 1U);
  // A shorter output in the same buffer has its guard where it ends.
  words_of<std::uint32_t>(output)[10] = 0;
  workbench_.output("output", 10);
  EXPECT_EQ(words_of<std::uint32_t>(output)[10], kPoison);
}

TEST_F(WorkbenchTest, SlotsAreSeparate) {
  EXPECT_NE(&workbench_.output("a", kInputWords), &workbench_.output("b", kInputWords));
  EXPECT_NE(&workbench_.output("a", kInputWords), &workbench_.input(0, kInputWords));
}

TEST_F(WorkbenchTest, KernelIsLoadedOncePerSpec) {
  const KernelImages images = {"add", {}, {}};
  const KernelImages others = {"copy", {}, {}};
  const KernelSpec spec = {
      .images = &images, .entry = "add", .block_x = 256, .constants = {1, 2}, .buffers = 2, .params_bytes = 4};
  const Kernel* kernel = &workbench_.kernel(spec);
  EXPECT_EQ(kernel->spec().entry, "add");
  EXPECT_EQ(&workbench_.kernel(spec), kernel);
  EXPECT_EQ(device_.loads, 1U);
  const auto changed = [&](auto change) {
    KernelSpec other = spec;
    change(other);
    return &workbench_.kernel(other);
  };
  EXPECT_NE(changed([&](KernelSpec& s) { s.images = &others; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.entry = "add_2"; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.block_x = 128; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.constants = {12}; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.buffers = 3; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.params_bytes = 8; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.shared_bytes = 1024; }), kernel);
  EXPECT_EQ(device_.loads, 8U);
}

TEST_F(WorkbenchTest, ReleaseFreesBuffersAndKeepsKernels) {
  workbench_.input(0, kInputWords);
  workbench_.output("output", kInputWords);
  const Kernel* kernel = &workbench_.kernel({});
  workbench_.release_buffers();
  EXPECT_TRUE(device_.live.empty());
  EXPECT_EQ(&workbench_.kernel({}), kernel);
  expect_input(workbench_.input(0, kInputWords), 0, kInputWords);
}

TEST_F(WorkbenchTest, WhatIsKeptIsMadeOnceAndGoesWithTheBuffers) {
  struct Counted : Kept {
    explicit Counted(int& count) : live(count) { ++live; }
    ~Counted() override { --live; }
    int& live;
  };
  int live = 0;
  const auto keep = [&](const std::string& name) -> Kept& {
    return workbench_.kept<Counted>(name, [&] { return std::make_unique<Counted>(live); });
  };
  Kept& one = keep("one");
  EXPECT_EQ(&keep("one"), &one);
  EXPECT_NE(&keep("other"), &one);
  EXPECT_EQ(live, 2);
  workbench_.release_buffers();
  EXPECT_EQ(live, 0);
  EXPECT_THROW(workbench_.kept<Counted>("one", []() -> std::unique_ptr<Counted> { throw Skip("no"); }), Skip);
  keep("one");
  EXPECT_EQ(live, 1) << "what could not be made is tried again";
  workbench_.release_buffers();  // `live` goes before the workbench does
}

TEST_F(WorkbenchTest, RecoversFromAnAllocationThatFailed) {
  FakeDevice small({}, {.memory_bytes = 100000});
  Workbench on_small(small, 42);
  on_small.input(0, 10000);
  EXPECT_THROW(on_small.input(0, 30000), OutOfMemory);
  expect_input(on_small.input(0, 20000), 0, 20000);
}

// An output that goes on from what it finds, and one that no checksum tells: both are put back and looked at again.
TEST_F(WorkbenchTest, OutputsAreMadeAnewFromWhereTheyStarted) {
  Buffer& counter = workbench_.output("counter", 1);
  Buffer& beside = workbench_.output("beside", 1);
  const auto restore = [&] { device_.fill(counter, 0, 4, 7); };
  const auto launch = [&] {
    ++*words_of<std::uint32_t>(counter);
    *words_of<std::uint32_t>(beside) = 1;
  };
  const auto check = [&] {
    if (*words_of<std::uint32_t>(beside) != 1) throw Error("nothing was written beside");
  };
  restore();
  launch();
  workbench_.begin_case("a case");
  EXPECT_FALSE(workbench_.to_remake());
  verify<std::uint32_t>(workbench_, counter, 1, kGuardWords, [](std::uint64_t) { return 8U; });
  EXPECT_FALSE(workbench_.to_remake()) << "not every kernel makes all of its output anew";
  workbench_.makes_outputs_anew(restore, check);
  const auto remaking = workbench_.to_remake();
  ASSERT_TRUE(remaking);
  ASSERT_EQ(remaking->outputs.size(), 1U);
  for (int round = 0; round < 2; ++round) workbench_.remake(*remaking, launch);
  device_.fill(beside, 0, 4, 0);
  const auto nothing = [&] { ++*words_of<std::uint32_t>(counter); };
  EXPECT_EQ(message_of<Error>([&] { workbench_.remake(*remaking, nothing); }), "nothing was written beside");
  const auto twice = [&] {
    launch();
    launch();
  };
  EXPECT_EQ(message_of<Error>([&] { workbench_.remake(*remaking, twice); }).substr(0, 47),
            "wrong output: after the samples a launch made 6");
}

TEST_F(WorkbenchTest, WhatIsComparedWithoutAChecksumIsVerifiedInFull) {
  workbench_.begin_case("a case");
  EXPECT_EQ(workbench_.verified(), Verified::kNothing);
  workbench_.compared();
  EXPECT_EQ(workbench_.verified(), Verified::kFull);
  workbench_.begin_case("another");
  EXPECT_EQ(workbench_.verified(), Verified::kNothing);
}

// What no reference tells, but is the same after every launch: made anew, it must be what it was.
TEST_F(WorkbenchTest, WhatWasComparedMayBeMadeAnewByItsChecksum) {
  Buffer& output = workbench_.output("output", 1);
  workbench_.begin_case("a case");
  *words_of<std::uint32_t>(output) = 5;
  workbench_.compared(output, 1 + kGuardWords);
  EXPECT_EQ(workbench_.verified(), Verified::kFull);
  workbench_.makes_outputs_anew({}, {}, 7);
  const auto remaking = workbench_.to_remake();
  ASSERT_TRUE(remaking);
  EXPECT_EQ(remaking->launches, 7U);
  ASSERT_EQ(remaking->outputs.size(), 1U);
  workbench_.remake(*remaking, [&] { *words_of<std::uint32_t>(output) = 5; });
  EXPECT_THROW(workbench_.remake(*remaking, [&] { *words_of<std::uint32_t>(output) = 6; }), Error);
  EXPECT_THROW(workbench_.remake(*remaking, [] {}), Error) << "the poison";
}

TEST_F(WorkbenchTest, ACaseSaysHowItWasVerifiedOrThatNothingIsLeft) {
  workbench_.begin_case("a case");
  EXPECT_TRUE(workbench_.has_forgotten_to_verify());
  workbench_.nothing_to_compare();
  EXPECT_FALSE(workbench_.has_forgotten_to_verify());
  workbench_.compared();
  EXPECT_TRUE(workbench_.has_forgotten_to_verify()) << "both cannot be";
  workbench_.begin_case("another");
  EXPECT_TRUE(workbench_.has_forgotten_to_verify());
  workbench_.compared();
  EXPECT_FALSE(workbench_.has_forgotten_to_verify());
}

TEST(ParamsBytes, CopiesTheStruct) {
  struct Params {
    std::uint32_t count;
    float scale;
  };
  const std::vector<std::byte> bytes = params_bytes(Params{7, 0.5F});
  ASSERT_EQ(bytes.size(), 8U);
  Params copy{};
  std::memcpy(&copy, bytes.data(), bytes.size());
  EXPECT_EQ(copy.count, 7U);
  EXPECT_EQ(copy.scale, 0.5F);
}

}  // namespace
}  // namespace bench
