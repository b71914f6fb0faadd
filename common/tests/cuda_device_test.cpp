// bench_cuda on a real GPU; skipped without one. Times are tested on kernels of known length.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "core/base/error.h"
#include "core/device/kernel_images.h"
#include "core/device/offers.h"
#include "cuda/device/backend.h"
#include "cuda/device/device.h"
#include "cuda/kernels/params.h"
#include "cuda/launch/command.h"
#include "cuda_test_kernels.h"
#include "data_kernels_check.h"
#include "restored_subject_check.h"

namespace bench {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    const auto backend = cuda::make_backend();
    const auto [devices, reason, missing] = backend->list();
    if (devices.empty()) GTEST_SKIP() << reason;
    try {
      device_ = backend->open(devices.front(), {});
    } catch (const Skip& skip) {
      GTEST_SKIP() << skip.what();
    }
    spin_kernel_ = device_->load({.images = &find_kernel(kernels::cuda_test(), "spin"),
                                  .entry = "spin",
                                  .block_x = 1,
                                  .buffers = 1,
                                  .params_bytes = sizeof(cuda::WaitParams)});
    elapsed_ = device_->allocate(sizeof(std::uint32_t), "elapsed");
  }

  // One thread that waits this long.
  Launch spin(std::uint32_t ns) const {
    return {
        .kernel = spin_kernel_.get(), .grid = {1, 1, 1}, .buffers = {elapsed_.get()}, .params = bytes_of(cuda::WaitParams{ns})};
  }

  double measure(const Work& work, const DeviceSampleSpec& spec, SubmitMode mode = SubmitMode::kEach) const {
    const auto subject = device_->prepare(work, {.mode = mode});
    subject->time_device(spec);  // the first one settles what it runs on
    return median(*subject, spec);
  }

  static double median(Subject& subject, const DeviceSampleSpec& spec) {
    std::vector<double> samples(9);
    std::ranges::generate(samples, [&] { return subject.time_device(spec).ns; });
    std::ranges::nth_element(samples, samples.begin() + 4);
    return samples[4];
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Kernel> spin_kernel_;
  std::unique_ptr<Buffer> elapsed_;
};

// The clock that the spin waits by (%globaltimer) and the one that stamps the events are the same oscillator; the launch and
// the granularity of both add a few microseconds.
#define EXPECT_TIME(measured, expected) EXPECT_NEAR(measured, expected, 0.05 * (expected) + 5e3)

TEST_F(CudaDevice, RandomWordsAreTheCpusWords) { check_fill_random(*device_); }
TEST_F(CudaDevice, ChecksumsAreTheCpus) { check_checksum(*device_); }

// A kernel that follows none of the suite's conventions: CudaLaunch::arguments.
KernelSpec free_spec() {
  return {
      .images = &find_kernel(kernels::cuda_test(), "free_arguments"),
      .entry = "free_arguments",
      .block_x = 2,
      .block_y = 3,
      .block_z = 4,
      .buffers = 2,
      .params_bytes = 40,
      .shared_bytes = 2 * 3 * 4 * 4,
      .addresses = {{.offset = 8, .buffer = 1}, {.offset = 24, .buffer = 0}},
      .cuda = {
          .arguments = {
              {.offset = 0, .bytes = 2}, {.offset = 8, .bytes = 8}, {.offset = 16, .bytes = 16}, {.offset = 32, .bytes = 8}}}};
}

TEST_F(CudaDevice, TakesArgumentsInAnyOrderAndBlocksOfThreeDimensions) {
  constexpr std::uint32_t kWords = 2 * 3 * 4 * 5;
  const auto in = device_->allocate(kWords * 4, "in");
  const auto out = device_->allocate(kWords * 4, "out");
  std::vector<std::uint32_t> words(kWords);
  std::iota(words.begin(), words.end(), 1U);
  device_->upload(*in, 0, std::as_bytes(std::span(words)));
  device_->fill(*out, 0, out->bytes(), 0);
  const auto kernel = device_->load(free_spec());
  Launch launch = {.kernel = kernel.get(), .grid = {1, 5, 1}, .buffers = {out.get(), in.get()}};
  launch.params.resize(40);
  const std::uint16_t scale = 3;
  const std::uint64_t wide = 5ULL << 32;
  std::memcpy(launch.params.data(), &scale, sizeof scale);
  launch.params[16] = std::byte{7};
  std::memcpy(launch.params.data() + 32, &wide, sizeof wide);
  device_->run(launch);
  device_->download(*out, 0, std::as_writable_bytes(std::span(words)));
  for (std::uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(words[i], 3 * (i + 1) + 5 + 7) << i;
  EXPECT_GT(measure(launch, {.batch = 3}), 0);
}

TEST_F(CudaDevice, ArgumentsOfOtherSizesAreAnError) {
  KernelSpec spec = free_spec();
  spec.cuda.arguments[0].bytes = 4;
  EXPECT_THROW(device_->load(spec), Error);
  spec = free_spec();
  spec.cuda.arguments.pop_back();
  EXPECT_THROW(device_->load(spec), Error);
}

TEST_F(CudaDevice, ABlockHasLimitedThreadsInAllDimensionsTogether) {
  KernelSpec spec = free_spec();
  spec.block_z = 512;
  EXPECT_THROW(device_->load(spec), Skip);
}

TEST_F(CudaDevice, TimesASpinOfKnownLength) {
  for (const std::uint32_t ns : {200'000u, 2'000'000u, 4'000'000u}) EXPECT_TIME(measure(spin(ns), {.batch = 1}), ns);
}

TEST_F(CudaDevice, TwiceTheSpinIsTwiceTheTime) {
  EXPECT_NEAR(measure(spin(4'000'000), {.batch = 1}) / measure(spin(2'000'000), {.batch = 1}), 2.0, 0.02);
}

TEST_F(CudaDevice, TimesABatch) { EXPECT_TIME(measure(spin(200'000), {.batch = 4}), 4 * 200e3); }

// Negative control: a timer that reports the host's or the gate's time would not see the difference.
TEST_F(CudaDevice, NoSpinReadsUnderAQuarter) {
  EXPECT_LT(measure(spin(0), {.batch = 1}), measure(spin(200'000), {.batch = 1}) / 4);
}

// Without the gate, the host's call between the two records would be in it.
TEST_F(CudaDevice, NothingReadsTheStampsAlone) { EXPECT_LT(measure(Nothing{}, {.batch = 1}), 3e3); }

TEST_F(CudaDevice, EachAndReplayAgree) {
  const DeviceSampleSpec spec{.batch = 4};
  const double each = measure(spin(200'000), spec, SubmitMode::kEach);
  EXPECT_TIME(measure(spin(200'000), spec, SubmitMode::kReplay), each);
}

TEST_F(CudaDevice, ReplayKeepsItsBatchesApart) {
  const auto subject = device_->prepare(spin(200'000), {.mode = SubmitMode::kReplay});
  EXPECT_TIME(median(*subject, {.batch = 1}), 200e3);
  EXPECT_TIME(median(*subject, {.batch = 3}), 600e3);
  EXPECT_TIME(median(*subject, {.batch = 1}), 200e3);
}

TEST_F(CudaDevice, LeadInIsNotTimed) { EXPECT_TIME(measure(spin(200'000), {.batch = 1, .lead_in = 4}), 200e3); }

TEST_F(CudaDevice, EvictionIsNotTimed) {
  device_->set_evict_bytes(4 * device_->info().l2_bytes);
  EXPECT_TIME(measure(spin(200'000), {.batch = 1, .evict_l2 = true}), 200e3);
}

TEST_F(CudaDevice, EvictionBeforeItsSizeIsAnError) {
  EXPECT_THROW(device_->prepare(spin(0), {})->time_device({.batch = 1, .evict_l2 = true}), Error);
}

TEST_F(CudaDevice, EvictionEvicts) {
  device_->set_evict_bytes(4 * device_->info().l2_bytes);
  // One block reads 2 MiB, more than an L1 and less than an L2: its time is the latency of the level that answers, and the
  // ratio of DRAM's to L2's is about 2 on every GPU. (A grid that fills the GPU would compare bandwidths, which may be close.)
  constexpr std::uint64_t kBytes = std::uint64_t{2} << 20;
  const auto data = device_->allocate(kBytes, "data");
  const auto sink = device_->allocate(4, "sink");
  device_->fill(*data, 0, kBytes, 0);
  const auto kernel = device_->load({.images = &find_kernel(kernels::cuda_test(), "evict_l2"),
                                     .entry = "evict_l2",
                                     .block_x = 256,
                                     .buffers = 2,
                                     .params_bytes = sizeof(cuda::EvictParams)});
  const Launch read{.kernel = kernel.get(),
                    .grid = {1, 1, 1},
                    .buffers = {data.get(), sink.get()},
                    .params = bytes_of(cuda::EvictParams{.vec4_count = kBytes / 16, .impossible = 1})};
  const double warm = measure(read, {.batch = 1, .lead_in = 2});
  const double cold = measure(read, {.batch = 1, .evict_l2 = true});
  EXPECT_GT(cold, 1.2 * warm);
}

TEST_F(CudaDevice, CountersSeeAKnownKernelAndNothingElse) {
  std::unique_ptr<DeviceCounters> counters;
  try {
    counters = device_->offer<Counting>().counters();
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.what();
  }
  constexpr std::uint64_t kBytes = 256ULL << 20;
  constexpr std::uint32_t kSweeps = 3;
  device_->set_evict_bytes(kBytes);
  device_->evict_l2();
  const std::vector<std::string> metrics = {"lts__t_sectors_srcunit_tex.sum"};
  EXPECT_EQ(counters->count(metrics, [] {})[0], 0);
  const std::vector<double> counted = counters->count(metrics, [&] {
    for (std::uint32_t k = 0; k < kSweeps; ++k) device_->evict_l2();
  });
  const double wanted = static_cast<double>(kSweeps * kBytes) / 32;
  EXPECT_NEAR(counted[0], wanted, 1e-3 * wanted);
  EXPECT_EQ(counters->count(metrics, [] {})[0], 0);
}

TEST_F(CudaDevice, HostTimesContainTheKernel) {
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const auto subject = device_->prepare(spin(2'000'000), {.mode = mode});
    subject->time_host(2);
    const HostTimes times = subject->time_host(2);
    EXPECT_GT(times.roundtrip_ns, 4e6);
    EXPECT_LT(times.roundtrip_ns, 6e6);
    EXPECT_LT(times.submit_ns, 1e6);
  }
}

TEST_F(CudaDevice, WhatTheL2FetchesIsSetAndSetBack) {
  const auto limit = [] {
    std::size_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity), cudaSuccess);
    return bytes;
  };
  const std::size_t before = limit();
  for (const std::uint32_t bytes : {32U, 128U}) {
    device_->offer<L2Fetch>().set_l2_fetch_bytes(bytes);
    EXPECT_EQ(limit(), bytes);
  }
  device_->offer<L2Fetch>().set_l2_fetch_bytes(0);
  EXPECT_EQ(limit(), before);
}

TEST_F(CudaDevice, UnorderedLaunchesAreSkipped) { EXPECT_THROW(device_->prepare(spin(0), {.ordered = false}), Skip); }

TEST_F(CudaDevice, RunRunsOnce) {
  device_->fill(*elapsed_, 0, 4, 0);
  device_->run(spin(50'000));
  std::uint32_t elapsed = 0;
  device_->download(*elapsed_, 0, std::as_writable_bytes(std::span(&elapsed, 1)));
  EXPECT_GE(elapsed, 50'000u);
  EXPECT_LT(elapsed, 200'000u);
}

TEST_F(CudaDevice, ACallOfALibrarysIsEnqueuedAndTimedAsAKernelIs) {
  const auto from = device_->allocate(4096, "from");
  const auto to = device_->allocate(4096, "to");
  device_->fill(*from, 0, 4096, 7);
  device_->fill(*to, 0, 4096, 1);
  int calls = 0;
  const StreamCall call = {"a copy", {to.get(), from.get()}, [&](void* stream, std::span<void* const> pointers) {
                             ++calls;
                             const auto kind = cudaMemcpyDeviceToDevice;
                             EXPECT_EQ(cudaMemcpyAsync(pointers[0], pointers[1], 4096, kind, static_cast<cudaStream_t>(stream)),
                                       cudaSuccess);
                           }};
  auto& calls_of = device_->offer<StreamCalls>();
  calls_of.run(call);
  EXPECT_EQ(calls, 1);
  std::vector<std::uint32_t> words(1024);
  device_->download(*to, 0, std::as_writable_bytes(std::span(words)));
  EXPECT_EQ(words, std::vector<std::uint32_t>(1024, 7));
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    calls = 0;
    const auto subject = calls_of.prepare(call, {.mode = mode});
    EXPECT_GT(subject->time_device({.batch = 4}).ns, 0);
    EXPECT_EQ(calls % 4, 1);  // once before the first sample, so that its code is loaded when the gate is shut
    EXPECT_GE(calls, 5);
    EXPECT_EQ(subject->kernel(), nullptr);
  }
  EXPECT_THROW(calls_of.run(StreamCall{"nothing", {}, {}}), Error);
}

TEST_F(CudaDevice, StartedWorkIsTimedAndLeavesTheHostFree) {
  device_->offer<StartedWork>().start(spin(5'000'000));
  const auto words = [&] {
    std::uint32_t ns = 0;
    device_->download(*elapsed_, 0, std::as_writable_bytes(std::span(&ns, 1)));
    return ns;
  };
  EXPECT_TIME(device_->offer<StartedWork>().finish(), 5e6);
  EXPECT_GE(words(), 5'000'000U);
}

TEST_F(CudaDevice, PeersMemoryIsReachedByCopiesAndKernels) {
  Device* peer = nullptr;
  try {
    peer = &device_->offer<Peers>().peer();
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.what();
  }
  EXPECT_EQ(&device_->offer<Peers>().peer(), peer);
  EXPECT_NE(peer->info().index, device_->info().index);
  const auto there = peer->allocate(sizeof(std::uint32_t), "there");
  peer->fill(*there, 0, 4, 7);
  device_->run(Copy{there.get(), elapsed_.get(), 4});
  std::uint32_t word = 0;
  device_->download(*elapsed_, 0, std::as_writable_bytes(std::span(&word, 1)));
  EXPECT_EQ(word, 7U);
  Launch launch = spin(1000);
  launch.buffers = {there.get()};
  device_->run(launch);
  peer->download(*there, 0, std::as_writable_bytes(std::span(&word, 1)));
  EXPECT_GE(word, 1000U);
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, device_->info().index);
}

TEST_F(CudaDevice, WhatComesBeforeASampleRunsBeforeEachOfThem) {
  const auto kept = device_->allocate(4096, "kept");
  const auto used = device_->allocate(4096, "used");
  const auto seen = device_->allocate(4096, "seen");
  device_->fill(*kept, 0, 4096, 1);
  device_->set_evict_bytes(4 * device_->info().l2_bytes);
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const auto subject =
        device_->prepare(Copy{used.get(), seen.get(), 4096}, {.mode = mode, .before = {Copy{kept.get(), used.get(), 4096}}});
    const auto expect_put_back = [&](const auto& sample) {
      device_->fill(*used, 0, 4096, 2);
      sample();
      std::vector<std::uint32_t> words(1024);
      device_->download(*seen, 0, std::as_writable_bytes(std::span(words)));
      EXPECT_EQ(words, std::vector<std::uint32_t>(1024, 1));
    };
    expect_put_back([&] { subject->time_device({.lead_in = 2}); });
    expect_put_back([&] { subject->time_device({.evict_l2 = true}); });
    expect_put_back([&] { subject->time_host(1); });
    EXPECT_THROW(subject->time_device({.batch = 2}), Error);
    EXPECT_THROW(subject->time_host(2), Error);
  }
}

TEST_F(CudaDevice, ARestoredLaunchHasNoLeadInAndIsCountedAlone) { check_restored(*device_); }

TEST_F(CudaDevice, UploadDownloadAndCopyKeepEveryByte) {
  // One word; one staging slot of 32 MiB, one word either side of it; and an odd size over three slots.
  constexpr std::size_t kSlotWords = std::size_t{8} << 20;
  for (const std::size_t words : {std::size_t{1}, kSlotWords - 1, kSlotWords, kSlotWords + 1, 3 * kSlotWords + 12'345}) {
    std::vector<std::uint32_t> sent(words);
    std::iota(sent.begin(), sent.end(), 0x9e3779b9u);
    const std::uint64_t bytes = 4 * words;
    const auto source = device_->allocate(bytes + 8, "source");
    const auto destination = device_->allocate(bytes + 8, "destination");
    device_->upload(*source, 8, std::as_bytes(std::span(sent)));
    device_->fill(*source, 0, 8, 0x01020304u);
    device_->run(Copy{source.get(), destination.get(), bytes + 8});
    std::vector<std::uint32_t> received(words + 2);
    device_->download(*destination, 0, std::as_writable_bytes(std::span(received)));
    EXPECT_EQ(received[0], 0x01020304u);
    EXPECT_EQ(received[1], 0x01020304u);
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), received.begin() + 2)) << words << " words";
  }
}

TEST_F(CudaDevice, FillStaysInItsRange) {
  const auto buffer = device_->allocate(4 * 1001, "buffer");
  device_->fill(*buffer, 0, 4 * 1001, 0x7fc00000u);
  device_->fill(*buffer, 4 * 3, 4 * 995, 0xdeadbeefu);
  std::vector<std::uint32_t> words(1001);
  device_->download(*buffer, 0, std::as_writable_bytes(std::span(words)));
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i < 3 || i >= 998 ? 0x7fc00000u : 0xdeadbeefu) << i;
}

TEST_F(CudaDevice, RangesOutsideTheBufferAreErrors) {
  const auto buffer = device_->allocate(64, "buffer");
  EXPECT_THROW(device_->fill(*buffer, 60, 8, 0), Error);
  EXPECT_THROW(device_->fill(*buffer, 2, 8, 0), Error);
  EXPECT_THROW(device_->run(Copy{buffer.get(), elapsed_.get(), 64}), Error);
  EXPECT_THROW(device_->allocate(0, "empty"), Error);
}

TEST_F(CudaDevice, AbsurdSizeIsOutOfMemoryAndHarmless) {
  try {
    device_->allocate(std::uint64_t{1} << 50, "a pebibyte");
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemory& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a pebibyte"), std::string::npos) << text;
    EXPECT_NE(text.find("1125899906842624"), std::string::npos) << text;
  }
  EXPECT_NO_THROW(device_->run(spin(1000)));
}

TEST_F(CudaDevice, LaunchThatDoesNotFitTheKernelIsAnError) {
  Launch launch = spin(0);
  launch.buffers.clear();
  EXPECT_THROW(device_->run(launch), Error);
  launch = spin(0);
  launch.params.clear();
  EXPECT_THROW(device_->run(launch), Error);
  launch = spin(0);
  launch.grid = {0, 1, 1};
  EXPECT_THROW(device_->run(launch), Error);
  EXPECT_NO_THROW(device_->run(spin(1000)));
}

TEST_F(CudaDevice, ImpossibleBlockIsSkippedAndMissingEntryIsAnError) {
  KernelSpec spec = spin_kernel_->spec();
  spec.block_x = 2048;
  EXPECT_THROW(device_->load(spec), Skip);
  spec = spin_kernel_->spec();
  spec.shared_bytes = 1U << 30;
  EXPECT_THROW(device_->load(spec), Skip);
  spec = spin_kernel_->spec();
  spec.entry = "no_such_kernel";
  EXPECT_THROW(device_->load(spec), Error);
  EXPECT_NO_THROW(device_->run(spin(1000)));
}

TEST_F(CudaDevice, BlocksOfAClusterKnowTheirRank) {
  KernelSpec spec = {
      .images = &find_kernel(kernels::cuda_test(), "cluster_rank"), .entry = "cluster_rank", .block_x = 1, .buffers = 1};
  constexpr std::uint32_t kBlocks = 16;
  const std::unique_ptr<Buffer> out = device_->allocate(kBlocks * sizeof(std::uint32_t), "ranks");
  const auto ranks = [&](SubmitMode mode) {
    const std::unique_ptr<Kernel> kernel = device_->load(spec);
    const Launch launch = {.kernel = kernel.get(), .grid = {kBlocks, 1, 1}, .buffers = {out.get()}, .params = {}};
    device_->fill(*out, 0, out->bytes(), ~0U);
    device_->prepare(launch, {.mode = mode})->time_device({.batch = 2});
    std::vector<std::uint32_t> found(kBlocks);
    device_->download(*out, 0, std::as_writable_bytes(std::span(found)));
    return found;
  };
  EXPECT_EQ(ranks(SubmitMode::kEach), std::vector<std::uint32_t>(kBlocks, 1U << 16));
  spec.cuda.cluster_x = 1;
  std::uint32_t largest = 0;
  std::uint32_t portable = 0;
  try {
    const ClusterLimits limits = cluster_limits(*device_->load(spec));
    largest = limits.largest;
    portable = limits.largest_portable;
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.what();
  }
  EXPECT_EQ(portable, 8u);
  for (std::uint32_t blocks = 1; blocks <= largest; blocks *= 2) {
    spec.cuda.cluster_x = blocks;
    EXPECT_GT(cluster_limits(*device_->load(spec)).active, 0u);
    std::vector<std::uint32_t> expected(kBlocks);
    for (std::uint32_t i = 0; i < kBlocks; ++i) expected[i] = blocks << 16 | i % blocks;
    EXPECT_EQ(ranks(SubmitMode::kEach), expected);
    EXPECT_EQ(ranks(SubmitMode::kReplay), expected);
  }
  spec.cuda.cluster_x = 32;
  EXPECT_THROW(device_->load(spec), Skip);
}

TEST_F(CudaDevice, RunsWithTheMostL1) {
  KernelSpec spec = spin_kernel_->spec();
  spec.cuda.most_l1 = true;
  const std::unique_ptr<Kernel> kernel = device_->load(spec);
  Launch launch = spin(1000);
  launch.kernel = kernel.get();
  EXPECT_NO_THROW(device_->run(launch));
}

// Two spins; the host dawdles between them. `calls`: that a part is said to make.
cuda::Body dawdling(const Launch& spin, std::uint32_t calls, bool throws = false) {
  cuda::Body body;
  body.name = "two spins";
  body.parts = 2;
  body.calls = calls;
  const auto command = std::make_shared<cuda::Command>(spin);
  body.enqueue = [command, throws](std::span<const cudaStream_t> streams, std::uint32_t part) {
    if (part == 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));  // of the gate's 50
    if (part == 1 && throws) throw Error("the second part cannot be enqueued");
    command->enqueue(streams[0]);
  };
  return body;
}

TEST_F(CudaDevice, ASlowHostTakesNoPartInGpuTime) {
  cuda::Device& device = cuda::cuda_device(*device_);
  const auto subject = device.prepare(dawdling(spin(200'000), 1));
  subject->time_device({});
  const DeviceTime time = subject->time_device({});
  EXPECT_TRUE(time.gated);
  EXPECT_TIME(time.ns, 400e3);
}

// The negative control.
TEST_F(CudaDevice, WhatDoesNotFitIntoAQueueHasTheSlowHostInItAndSaysSo) {
  cuda::Device& device = cuda::cuda_device(*device_);
  const auto subject = device.prepare(dawdling(spin(200'000), 2 * cuda::kMostHeldCalls));
  subject->time_device({});
  const DeviceTime time = subject->time_device({});
  EXPECT_FALSE(time.gated);
  EXPECT_GT(time.ns, 8e6);
}

TEST_F(CudaDevice, AnExceptionWhileTheGateIsShutOpensIt) {
  cuda::Device& device = cuda::cuda_device(*device_);
  EXPECT_THROW(device.prepare(dawdling(spin(1000), 1, true))->time_device({}), Error);
  EXPECT_TIME(measure(spin(200'000), {.batch = 1}), 200e3);
}

// A call that waits for the GPU while the gate is shut: it opens by itself, and later samples are held again.
TEST_F(CudaDevice, WhatWaitsWhileTheGateIsShutIsNotHeldAndEnds) {
  cuda::Device& device = cuda::cuda_device(*device_);
  cuda::Body body = dawdling(spin(1000), 1);
  const auto enqueue = body.enqueue;
  body.enqueue = [enqueue](std::span<const cudaStream_t> streams, std::uint32_t part) {
    enqueue(streams, part);
    if (part == 0) cudaStreamSynchronize(streams[0]);
  };
  const auto subject = device.prepare(std::move(body));
  EXPECT_FALSE(subject->time_device({}).gated);
  EXPECT_TRUE(device_->prepare(spin(1000), {})->time_device({}).gated);
}

TEST_F(CudaDevice, AThousandReplayedAndFiveHundredLaunchesAreHeld) {
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const auto subject = device_->prepare(device_->empty_launch(), {.mode = mode});
    const DeviceSampleSpec spec = {.batch = mode == SubmitMode::kEach ? 512U : 1000U, .lead_in = 2, .evict_l2 = false};
    EXPECT_TRUE(subject->time_device(spec).gated);
  }
}

TEST_F(CudaDevice, RunsWithDynamicSharedMemory) {
  KernelSpec spec = spin_kernel_->spec();
  spec.shared_bytes = 40U << 10;  // what every device has beside a kernel's own; more wants to be opted into
  const std::unique_ptr<Kernel> kernel = device_->load(spec);
  Launch launch = spin(1000);
  launch.kernel = kernel.get();
  EXPECT_NO_THROW(device_->run(launch));
}

}  // namespace
}  // namespace bench
