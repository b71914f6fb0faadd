// --count on fake devices whose traffic is known.
#include "core/run/counting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/device/device_counters.h"
#include "core/device/selection.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kEvictBytes = 3200;
constexpr double kLaunchSectors = 40;
constexpr double kLaunchReadBytes = 512;
constexpr double kLaunchWriteBytes = 256;

// What the fake GPU has done since it was there. What a launch wrote gets to memory with the next eviction.
struct Traffic {
  double sm_sectors = 0;
  double read_bytes = 0;
  double written_bytes = 0;
  double dirty_bytes = 0;
};

class FakeCounters final : public DeviceCounters {
 public:
  FakeCounters(const Traffic& traffic, std::vector<std::string> lacking, std::vector<std::string>& sessions)
      : traffic_(traffic), lacking_(std::move(lacking)), sessions_(sessions) {}

  std::string refusal(Group metrics) override {
    return std::ranges::find(lacking_, metrics.back()) == lacking_.end() ? "" : "no " + metrics.back();
  }
  std::vector<double> count(Group metrics, const std::function<void()>& work) override {
    const Traffic before = traffic_;
    sessions_.push_back(metrics.front());
    work();
    std::vector<double> counts;
    for (const std::string& name : metrics) {
      if (name == "lts__t_sectors_srcunit_tex.sum") {
        counts.push_back(traffic_.sm_sectors - before.sm_sectors);
      } else if (name == "dram__bytes_read.sum") {
        counts.push_back(traffic_.read_bytes - before.read_bytes);
      } else if (name == "dram__bytes_write.sum") {
        counts.push_back(traffic_.written_bytes - before.written_bytes);
      } else {
        counts.push_back(7);
      }
    }
    return counts;
  }
  std::vector<std::string> names() override { return {"sm__this", "lts__that"}; }
  std::string name() const override { return "fake counters"; }

 private:
  const Traffic& traffic_;
  std::vector<std::string> lacking_;
  std::vector<std::string>& sessions_;
};

// The host times it, by round trips: it takes no stamps on the GPU.
class ByHost final : public Subject {
 public:
  explicit ByHost(std::unique_ptr<Subject> launched) : launched_(std::move(launched)) {}
  bool timed_by_host() const override { return true; }
  DeviceTime time_device(const DeviceSampleSpec& /*spec*/) override { throw Error("no stamps on the GPU"); }
  HostTimes time_host(std::uint32_t batch) override { return launched_->time_host(batch); }

 private:
  std::unique_ptr<Subject> launched_;
};

// Its launches run together.
class NotAlone final : public Subject {
 public:
  DeviceTime time_device(const DeviceSampleSpec& spec) override { return {.ns = several(spec.batch)}; }
  HostTimes time_host(std::uint32_t batch) override { return {.roundtrip_ns = several(batch)}; }

 private:
  static double several(std::uint32_t batch) {
    if (batch % 2 != 0) throw Skip("its dispatches run 2 at a time");
    return 1;
  }
};

class Counting : public testing::Test {
 protected:
  FakeBehaviour behaviour(bool seen) {
    FakeBehaviour result;
    result.no_room_for = [this](std::string_view label) { return label == "to" && missing_++ < too_large_; };
    result.launched = [this, seen](std::uint32_t launches) {
      if (!seen) return;
      traffic_.sm_sectors += launches * kLaunchSectors;
      traffic_.read_bytes += launches * kLaunchReadBytes;
      traffic_.dirty_bytes += launches * kLaunchWriteBytes;
    };
    result.evicted = [this, seen](std::uint64_t bytes) {
      traffic_.written_bytes += std::exchange(traffic_.dirty_bytes, 0.0);
      if (seen) traffic_.sm_sectors += static_cast<double>(bytes) / 32;
    };
    return result;
  }

  // The program's exit code.
  int count(bool with_cuda = true) {
    FakeBehaviour cuda = behaviour(true);
    cuda.counters = [this]() -> std::unique_ptr<DeviceCounters> {
      if (!refused_.empty()) throw Skip("{}", refused_);
      return std::make_unique<FakeCounters>(traffic_, lacking_, sessions_);
    };
    std::vector<std::unique_ptr<Backend>> backends;
    std::vector<DeviceInfo> cuda_gpus;
    if (with_cuda) cuda_gpus.push_back(fake_gpu(cuda::kApi, 0, "NVIDIA H200", 0xaa));
    const std::vector<DeviceInfo> vulkan_gpus = {fake_gpu(vulkan::kApi, 0, "NVIDIA H200", 0xaa)};
    backends.push_back(std::make_unique<FakeBackend>(cuda::kApi, cuda_gpus, "no driver", cuda));
    backends.push_back(std::make_unique<FakeBackend>(vulkan::kApi, vulkan_gpus, "", behaviour(sees_vulkan_)));
    OpenDevices devices(std::move(backends), select_devices(listing(cuda_gpus, vulkan_gpus), {}), {{cuda::kApi, "no driver"}},
                        {});

    const Experiment experiment = {.name = "exp99_fake",
                                   .question = "?",
                                   .params = {Column::integer("block", "threads", "a block's threads")},
                                   .model = {},
                                   .variants = {},
                                   .cases = {},
                                   .counts_shared = counts_shared_,
                                   .counts_tensor = counts_tensor_};
    std::vector<Case> cases;
    for (const Cache cache : {Cache::kCold, Cache::kWarm}) {
      Case one = twin("copy", {{"block", 128}}, [this, the_cache = cache](Workbench& bench) -> Prepared {
        if (broken_ && bench.device().info().api == vulkan::kApi) throw Error("a wrong result");
        Launch launch;
        launch.kernel = &bench.kernel({.images = nullptr, .entry = "copy"});
        launch.buffers = {&bench.output("to", 64)};
        if (not_alone_ && the_cache == Cache::kWarm) return {std::make_unique<NotAlone>()};
        if (by_host_) return {std::make_unique<ByHost>(bench.device().prepare(launch, {}))};
        return bench.device().prepare(launch, {});
      });
      one.elements = 64;
      one.footprint_bytes = 768;
      one.spins = spins_;
      one.cache = cache;
      cases.push_back(one);
    }
    return count_cases(experiment, with_sides(cases, kBothApis), file_, kEvictBytes, devices);
  }

  // By variant/api/cache.
  std::map<std::string, std::map<std::string, std::string>> rows() const {
    std::ifstream stream(file_, std::ios::binary);
    const std::vector<CsvRow> records = parse_csv(std::string(std::istreambuf_iterator<char>(stream), {}));
    std::map<std::string, std::map<std::string, std::string>> result;
    for (std::size_t r = 1; r < records.size(); ++r) {
      std::map<std::string, std::string> row;
      for (std::size_t c = 0; c < records[0].size(); ++c) row[records[0][c]] = records[r].at(c);
      result[row["variant"] + "/" + row["api"] + "/" + row["cache"]] = row;
    }
    return result;
  }

  TempDir folder_;
  std::string file_ = folder_.file("counts.csv");
  Traffic traffic_;
  bool sees_vulkan_ = true;
  bool broken_ = false;
  bool by_host_ = false;
  bool not_alone_ = false;  // the warm cases
  bool spins_ = false;
  bool counts_shared_ = false;
  bool counts_tensor_ = false;
  std::string refused_;
  std::vector<std::string> lacking_;
  std::size_t too_large_ = 0;  // allocations, the first ones
  std::size_t missing_ = 0;
  std::vector<std::string> sessions_;  // the first metric of each
};

TEST_F(Counting, FiguresAreOfOneLaunchInBothApis) {
  EXPECT_EQ(count(), 0);
  const auto found = rows();
  ASSERT_EQ(found.size(), 4U);
  for (const auto& [name, row] : found) {
    EXPECT_EQ(row.at("sm_l2_sectors"), "40") << name;
    EXPECT_EQ(row.at("dram_read_bytes"), "512") << name;
    EXPECT_EQ(row.at("instrument"), "fake counters") << name;
    EXPECT_EQ(row.at("block"), "128") << name;
    EXPECT_EQ(row.at("reason"), "") << name;
  }
  EXPECT_EQ(found.at("copy/cuda/cold").at("launches"), "1");
  EXPECT_GT(std::stoul(found.at("copy/cuda/warm").at("launches")), 1U);
}

TEST_F(Counting, WhatTheHostTimesIsCountedWithoutStamps) {
  by_host_ = true;
  EXPECT_EQ(count(), 0);
  for (const auto& [name, row] : rows()) EXPECT_EQ(row.at("sm_l2_sectors"), "40") << name << ": " << row.at("reason");
}

TEST_F(Counting, BytesWrittenAreCountedUntilTheyAreInMemory) {
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(rows().at("copy/vulkan/cold").at("dram_write_bytes"), "256");
  EXPECT_EQ(rows().at("copy/cuda/cold").at("dram_write_bytes"), "256");
}

TEST_F(Counting, AnApiThatTheInstrumentDoesNotSeeHasNoCounts) {
  sees_vulkan_ = false;
  EXPECT_EQ(count(), 0);
  const auto found = rows();
  EXPECT_EQ(found.at("copy/cuda/cold").at("sm_l2_sectors"), "40");
  EXPECT_EQ(found.at("copy/vulkan/cold").at("sm_l2_sectors"), "");
  EXPECT_THAT(found.at("copy/vulkan/warm").at("reason"),
              HasSubstr("does not see this API's work: 0 sectors of a kernel that reads 400"));
}

TEST_F(Counting, WhatTheChipLacksStaysEmpty) {
  lacking_ = {"dram__bytes_read.sum", "l1tex__t_sectors.sum"};
  EXPECT_EQ(count(), 0);
  const auto row = rows().at("copy/vulkan/cold");
  EXPECT_EQ(row.at("dram_read_bytes"), "");
  EXPECT_EQ(row.at("l1_sectors"), "");
  EXPECT_EQ(row.at("sm_l2_sectors"), "40");
  EXPECT_EQ(row.at("dram_write_bytes"), "256");
}

// The fake counts seven of each in a session.
TEST_F(Counting, WhatAnExperimentAsksForBesideIsCountedInASessionOfItsOwn) {
  counts_tensor_ = true;
  EXPECT_EQ(count(), 0);
  const auto tensor = rows().at("copy/vulkan/warm");
  EXPECT_DOUBLE_EQ(std::stod(tensor.at("tensor_cycles")) * std::stod(tensor.at("launches")), 7);
  EXPECT_EQ(tensor.at("tensor_of_cycles"), tensor.at("tensor_cycles"));
  EXPECT_EQ(tensor.count("shared_wavefronts"), 0U);
  EXPECT_EQ(rows().at("copy/vulkan/cold").at("tensor_cycles"), "");
  counts_tensor_ = false;
  counts_shared_ = true;
  lacking_ = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"};
  EXPECT_EQ(count(), 0);
  const auto shared = rows().at("copy/cuda/warm");
  EXPECT_DOUBLE_EQ(std::stod(shared.at("shared_wavefronts")) * std::stod(shared.at("launches")), 7);
  EXPECT_EQ(shared.at("shared_load_wavefronts"), "");
  EXPECT_EQ(shared.count("tensor_cycles"), 0U);
}

// At the host's pace, in a session of their own.
TEST_F(Counting, ExecutedInstructionsAreCountedUnlessAKernelSpins) {
  lacking_ = {"sm__inst_executed_pipe_lsu.sum"};
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(rows().at("copy/cuda/cold").at("instructions"), "7") << "of one launch";
  const auto warm = rows().at("copy/vulkan/warm");
  EXPECT_DOUBLE_EQ(std::stod(warm.at("instructions")) * std::stod(warm.at("launches")), 7);
  EXPECT_EQ(warm.at("alu_instructions"), warm.at("instructions"));
  EXPECT_EQ(warm.at("lsu_instructions"), "") << "this GPU does not count it with the others";
  spins_ = true;
  EXPECT_EQ(count(), 0);
  for (const auto& [name, row] : rows()) EXPECT_EQ(row.at("instructions"), "") << name;
  EXPECT_EQ(rows().at("copy/cuda/cold").at("sm_l2_sectors"), "40");
}

// To set the hardware up for another group takes longer than a session.
TEST_F(Counting, TheGroupChangesOnceACase) {
  EXPECT_EQ(count(), 0);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < sessions_.size(); ++i) changes += sessions_[i] != sessions_[i - 1] ? 1 : 0;
  EXPECT_EQ(changes, 2U) << "two cases of two sides and two groups";
}

TEST_F(Counting, WhatDoesNotFitTogetherIsCountedOneByOne) {
  too_large_ = 1;
  EXPECT_EQ(count(), 0);
  for (const auto& [name, row] : rows()) EXPECT_EQ(row.at("sm_l2_sectors"), "40") << name << ": " << row.at("reason");
  missing_ = 0;
  too_large_ = 100;
  EXPECT_EQ(count(), 1);
  for (const auto& [name, row] : rows()) EXPECT_THAT(row.at("reason"), HasSubstr("no room")) << name;
}

TEST_F(Counting, WithoutTheMetricThatChecksNothingIsCounted) {
  lacking_ = {"lts__t_sectors_srcunit_tex.sum"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(count(), 77);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("it has 2 metrics, among them sm__this, lts__that"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Counting, WithoutPermissionOrCudaAnOlderFileStays) {
  std::ofstream(file_) << "old\n";
  refused_ = "the driver keeps the GPU's counters from this user";
  testing::internal::CaptureStderr();
  EXPECT_EQ(count(), 77);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(refused_));
  refused_.clear();
  EXPECT_EQ(count(false), 77);
  std::ifstream stream(file_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "old\n");
}

TEST_F(Counting, ACaseThatFailsIsARowWithItsReason) {
  broken_ = true;
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(rows().at("copy/vulkan/cold").at("reason"), "a wrong result");
  EXPECT_EQ(rows().at("copy/cuda/cold").at("sm_l2_sectors"), "40");
}

TEST_F(Counting, WhatDoesNotRunAloneIsLeftOutWithItsReason) {
  not_alone_ = true;
  EXPECT_EQ(count(), 0);
  const auto found = rows();
  for (const char* warm : {"copy/cuda/warm", "copy/vulkan/warm"}) {
    EXPECT_EQ(found.at(warm).at("reason"), "its dispatches run 2 at a time");
    EXPECT_EQ(found.at(warm).at("sm_l2_sectors"), "");
  }
  EXPECT_EQ(found.at("copy/vulkan/cold").at("sm_l2_sectors"), "40");
}

}  // namespace
}  // namespace bench
