#include "core/workbench.h"

#include <gtest/gtest.h>

#include "core/verify.h"
#include "fake_device.h"

namespace bench {
namespace {

constexpr std::uint64_t kWords = 10000;

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
  expect_input(workbench_.input(0, kWords), 0, kWords);
  expect_input(workbench_.input(1, kWords), 1, kWords);
  EXPECT_EQ(workbench_.input_value(1, 17), random_float(42, 1, 17));
  EXPECT_EQ(device_.allocations, 2U);
}

TEST_F(WorkbenchTest, InputIsTheSameInEveryRun) {
  Workbench other_run(device_, 42, 7);
  expect_input(other_run.input(0, kWords), 0, kWords);
  EXPECT_EQ(other_run.run_seed(), 7U);
  EXPECT_EQ(other_run.input_seed(), workbench_.input_seed());
}

TEST_F(WorkbenchTest, InputIsFilledOnce) {
  const Buffer* first = &workbench_.input(0, kWords);
  EXPECT_EQ(device_.uploaded_bytes, kWords * 4);
  EXPECT_EQ(&workbench_.input(0, kWords), first);
  EXPECT_EQ(&workbench_.input(0, kWords / 2), first) << "a smaller wish takes the larger buffer";
  EXPECT_EQ(device_.uploaded_bytes, kWords * 4);
}

TEST_F(WorkbenchTest, PeerHasTheSameInputOnItsOwnDevice) {
  EXPECT_THROW(workbench_.peer(), Skip);
  FakeDevice other;
  device_.peer_device = &other;
  const Buffer& there = workbench_.peer().input(0, kWords);
  expect_input(there, 0, kWords);
  EXPECT_EQ(&workbench_.peer().input(0, kWords), &there);
  EXPECT_EQ(device_.allocations, 0U);
  EXPECT_EQ(other.allocations, 1U);
  workbench_.release_buffers();
  EXPECT_TRUE(other.live.empty());
}

TEST_F(WorkbenchTest, InputGrows) {
  workbench_.input(0, 100);
  expect_input(workbench_.input(0, kWords), 0, kWords);
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
  Buffer& output = workbench_.output("output", kWords);
  ASSERT_EQ(output.bytes(), (kWords + kGuardWords) * 4);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < kWords + kGuardWords; ++i) ASSERT_EQ(words_of<std::uint32_t>(output)[i], kPoison) << i;
    std::fill_n(words_of<std::uint32_t>(output), kWords + kGuardWords, 0);
    EXPECT_EQ(&workbench_.output("output", kWords), &output);
  }
  EXPECT_EQ(device_.allocations, 1U);
  // A shorter output in the same buffer has its guard where it ends.
  words_of<std::uint32_t>(output)[10] = 0;
  workbench_.output("output", 10);
  EXPECT_EQ(words_of<std::uint32_t>(output)[10], kPoison);
}

TEST_F(WorkbenchTest, SlotsAreSeparate) {
  EXPECT_NE(&workbench_.output("a", kWords), &workbench_.output("b", kWords));
  EXPECT_NE(&workbench_.output("a", kWords), &workbench_.input(0, kWords));
}

TEST_F(WorkbenchTest, KernelIsLoadedOncePerSpec) {
  const KernelImages images = {"add", {}, {}};
  const KernelImages others = {"copy", {}, {}};
  const KernelSpec spec = {
      .images = &images, .entry = "add", .block_x = 256, .glsl_constants = {1, 2}, .buffers = 2, .params_bytes = 4};
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
  EXPECT_NE(changed([](KernelSpec& s) { s.glsl_constants = {12}; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.buffers = 3; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.params_bytes = 8; }), kernel);
  EXPECT_NE(changed([](KernelSpec& s) { s.shared_bytes = 1024; }), kernel);
  EXPECT_EQ(device_.loads, 8U);
}

TEST_F(WorkbenchTest, ReleaseFreesBuffersAndKeepsKernels) {
  workbench_.input(0, kWords);
  workbench_.output("output", kWords);
  const Kernel* kernel = &workbench_.kernel({});
  workbench_.release_buffers();
  EXPECT_TRUE(device_.live.empty());
  EXPECT_EQ(&workbench_.kernel({}), kernel);
  expect_input(workbench_.input(0, kWords), 0, kWords);
}

TEST_F(WorkbenchTest, RecoversFromAnAllocationThatFailed) {
  FakeDevice small({}, {.memory_bytes = 100000});
  Workbench on_small(small, 42);
  on_small.input(0, 10000);
  EXPECT_THROW(on_small.input(0, 30000), OutOfMemory);
  expect_input(on_small.input(0, 20000), 0, 20000);
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
