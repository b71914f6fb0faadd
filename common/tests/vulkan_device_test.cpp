// bench::Device over Vulkan: requirements, buffers, transfers, kernels.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>

#include "core/code/listing.h"
#include "core/device/offers.h"
#include "data_kernels_check.h"
#include "temp_dir.h"
#include "vulkan/api/instance.h"
#include "vulkan/api/requirements.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/imported_kernel.h"
#include "vulkan_fixture.h"

namespace bench::vulkan {
namespace {

using testing::HasSubstr;

DeviceFacts good_device() {
  DeviceFacts facts;
  facts.api_major = 1;
  facts.api_minor = 3;
  facts.queue_families = {{.compute = true, .timestamp_valid_bits = 64}};
  facts.timestamp_period = 1;
  facts.memory_types = 1;
  facts.synchronization2 = true;
  facts.maintenance4 = true;
  facts.subgroup_size_control = true;
  facts.buffer_device_address = true;
  facts.scalar_block_layout = true;
  facts.subgroup_arithmetic_in_compute = true;
  return facts;
}

TEST(VulkanRequirements, AGoodDeviceHasNone) { EXPECT_TRUE(unmet_requirements(good_device()).empty()); }

TEST(VulkanRequirements, ANewerVersionWillDo) {
  DeviceFacts facts = good_device();
  facts.api_minor = 4;
  EXPECT_TRUE(unmet_requirements(facts).empty());
  facts.api_major = 2;
  facts.api_minor = 0;
  EXPECT_TRUE(unmet_requirements(facts).empty());
}

TEST(VulkanRequirements, EachIsReportedAlone) {
  const auto unmet_after = [](auto change) {
    DeviceFacts facts = good_device();
    change(facts);
    const std::vector<std::string> unmet = unmet_requirements(facts);
    return unmet.size() == 1 ? unmet.front() : "not exactly one: " + std::to_string(unmet.size());
  };
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.api_minor = 2; }), "Vulkan 1.3 (found 1.2)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.timestamp_period = 0; }), "a finite timestampPeriod > 0 (found 0)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.timestamp_period = std::numeric_limits<float>::infinity(); }),
            "a finite timestampPeriod > 0 (found inf)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.synchronization2 = false; }), "synchronization2 (found none)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.maintenance4 = false; }), "maintenance4 (found none)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.subgroup_size_control = false; }), "subgroupSizeControl (found none)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.buffer_device_address = false; }), "bufferDeviceAddress (found none)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.scalar_block_layout = false; }), "scalarBlockLayout (found none)");
  EXPECT_EQ(unmet_after([](DeviceFacts& f) { f.subgroup_arithmetic_in_compute = false; }),
            "subgroup arithmetic in compute shaders (found none)");
}

// lavapipe, by a manifest that says of it what MoltenVK's says: the loader hides such drivers from who does not ask for them.
TEST(VulkanInstance, ListsDriversThatLackPartsOfVulkan) {
  nlohmann::json manifest;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/share/vulkan/icd.d")) {
    if (entry.path().filename().string().starts_with("lvp_icd")) manifest = nlohmann::json::parse(std::ifstream(entry.path()));
  }
  if (manifest.is_null()) GTEST_SKIP() << "no lavapipe here";
  manifest["ICD"]["is_portability_driver"] = true;
  const TempDir folder;
  const std::string path = folder.file("portability_icd.json");
  std::ofstream(path) << manifest;
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) setenv(variable, path.c_str(), 1);
  const DeviceListing listing = make_backend()->list();
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) unsetenv(variable);
  ASSERT_EQ(listing.devices.size(), 1U) << listing.reason;
  EXPECT_TRUE(listing.devices.front().is_cpu);
}

// exp08_queues opens a device thirteen times.
TEST(VulkanInstance, AProcessMakesOneForAllDevicesThatItOpensAlike) {
  const std::unique_ptr<Backend> backend = make_backend();
  const std::vector<DeviceInfo> devices = backend->list().devices;
  if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
  const std::size_t before = Instance::made();
  try {
    for (int i = 0; i < 6; ++i) {
      const auto device = backend->open(devices.front(), {.vulkan = {.companion = true, .timeline = i % 2 == 0}});
    }
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.what();
  }
  EXPECT_EQ(Instance::made(), before);
}

KernelSpec listed_kernel(const char* stem, std::uint32_t buffers, std::size_t params_bytes) {
  return {.images = &find_kernel(kernels::vulkan_support(), stem),
          .entry = stem,
          .block_x = 64,
          .buffers = buffers,
          .params_bytes = static_cast<std::uint32_t>(params_bytes)};
}

TEST(ListingDevice, LoadsKernelsAndRunsNothing) {
  const std::unique_ptr<Backend> backend = make_backend();
  const std::vector<DeviceInfo> devices = backend->list().devices;
  if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
  const auto device = backend->open(devices.front(), {.inspect = true, .compile_only = true});
  EXPECT_FALSE(device->runs());
  const auto kernel = device->load(listed_kernel("random_words", 1, sizeof(RandomWordsParams)));
  EXPECT_FALSE(kernel->code().source.empty());
  const auto buffer = device->allocate(1ULL << 50, "more than any GPU has");
  EXPECT_EQ(buffer->bytes(), 1ULL << 50);
  device->fill(*buffer, 0, 4, 0);
  device->fill_random(*buffer, 0, 1, 0);
  const Launch launch = {.kernel = kernel.get(), .buffers = {buffer.get()}, .params = params_bytes(RandomWordsParams{})};
  EXPECT_THROW(device->run(launch), Skip);
  EXPECT_THROW(static_cast<void>(device->prepare(launch, {})), Skip);
  EXPECT_THROW(static_cast<void>(device->checksum(*buffer, 1)), Skip);
  std::array<std::byte, 4> word{};
  EXPECT_THROW(device->download(*buffer, 0, word), Skip);
  EXPECT_THROW(vulkan_device(*device), Skip);
  EXPECT_EQ(context_of(*device).info().name, devices.front().name);
  EXPECT_TRUE(device->complaints().empty());
}

TEST(ListingDevice, CompilesForTheSubgroupsThatAreAskedFor) {
  const std::unique_ptr<Backend> backend = make_backend();
  const std::vector<DeviceInfo> devices = backend->list().devices;
  if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
  EXPECT_THROW(
      static_cast<void>(backend->open(devices.front(), {.inspect = true, .compile_only = true, .subgroup_size = 4096})), Skip);
  try {
    const auto device =
        backend->open(devices.front(), {.inspect = true, .compile_only = true, .subgroup_size = devices.front().subgroup_size});
    EXPECT_EQ(device->info().subgroup_size, devices.front().subgroup_size);
  } catch (const Skip& skip) {  // a driver whose pipelines cannot ask
    EXPECT_THAT(skip.what(), HasSubstr("compiles for no subgroups of"));
  }
}

TEST(VulkanKernels, AMatrixThatTheDeviceLacksIsAnotherKernels) {
  const KernelImages images[] = {{.stem = "deep", .cuda = {}, .spirv = {}}, {.stem = "halves", .cuda = {}, .spirv = {}}};
  const KernelSpec spec = {
      .images = &images[0],
      .entry = "rate",
      .vulkan = {.matrix = "16x16x32 s8 s32",
                 .other_matrix = {.matrix = "16x16x16 s8 s32", .kernel = {.from = images, .stem = "halves"}}}};
  OptionalFeatures features;
  for (const auto& [listed, stem] :
       std::vector<std::pair<std::set<std::string>, std::string>>{{{}, "deep"},
                                                                  {{"16x16x16 f16 f32"}, "deep"},
                                                                  {{"16x16x16 s8 s32"}, "halves"},
                                                                  {{"16x16x16 s8 s32", "16x16x32 s8 s32"}, "deep"}}) {
    features.matrices = listed;
    const KernelSpec own = own_of(spec, features);
    EXPECT_EQ(own.images->stem, stem);
    EXPECT_EQ(own.vulkan.matrix, stem == "deep" ? "16x16x32 s8 s32" : "16x16x16 s8 s32");
    EXPECT_EQ(own.entry, "rate") << "in listings both have one name";
  }
}

// Nothing in this suite runs on such a driver's GPU: RADV's null device, or a kernel driver that only pretends.
TEST(ListingDevice, IsOpenedForHashesWhereADriverLists) {
  const std::unique_ptr<Backend> backend = make_backend();
  for (const DeviceInfo& info : backend->list().devices) {
    const auto compiler = backend->open_compiler(info, {});
    EXPECT_FALSE(info.is_cpu && compiler) << "a software device's code is no GPU's";
    if (!compiler) continue;
    EXPECT_FALSE(compiler->runs());
    const KernelCode code = compiler->load(listed_kernel("random_words", 1, sizeof(RandomWordsParams)))->code();
    EXPECT_FALSE(code.text.empty() && code.statistics.empty());
  }
}

// RADV's, until Mesa 25: a compiler without a GPU.
TEST(ListingDevice, IsAllThatANullDeviceIs) {
  std::string manifest;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/share/vulkan/icd.d")) {
    if (entry.path().filename().string().starts_with("radeon_icd")) manifest = entry.path();
  }
  if (manifest.empty()) GTEST_SKIP() << "no RADV here";
  std::pair<const char*, const char*> variables[] = {
      {"RADV_FORCE_FAMILY", ""}, {"VK_DRIVER_FILES", manifest.c_str()}, {"VK_ICD_FILENAMES", manifest.c_str()}};
  // Releases of Mesa call a chip by one of these names, and end the process that calls it by the other.
  const auto knows = [&](const char* family) {
    variables[0].second = family;
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    const pid_t child = fork();
    if (child == 0) {
      static_cast<void>(make_backend()->list());
      _exit(0);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
  };
  if (!knows("gfx1100") && !knows("navi31")) GTEST_SKIP() << "this RADV has another name for the chip";
  const std::unique_ptr<Backend> backend = make_backend();
  const std::vector<DeviceInfo> devices = backend->list().devices;
  for (const auto& [name, value] : variables) unsetenv(name);
  if (devices.empty() || !devices.front().name.starts_with("Null hardware")) GTEST_SKIP() << "this RADV has no null device";
  try {
    static_cast<void>(backend->open(devices.front(), {}));
    FAIL() << "a device without memory was opened to run on";
  } catch (const Skip& skip) {
    EXPECT_THAT(skip.what(), HasSubstr("memory (found none: a compiler without a GPU, good for --dump-isa alone)"));
  }
  const auto device = backend->open(devices.front(), {.inspect = true, .subgroup_size = 64});
  const KernelCode code = device->load(listed_kernel("checksum", 2, sizeof(ChecksumParams)))->code();
  EXPECT_EQ(code.reason, "");
  EXPECT_THAT(std::string(assembly_of(code.text)), HasSubstr("s_endpgm"));
  EXPECT_EQ(isa_hash(code).size(), 12U);
  const auto size = std::ranges::find(code.statistics, "Subgroup Size", &std::pair<std::string, double>::first);
  ASSERT_NE(size, code.statistics.end());
  EXPECT_EQ(size->second, 64);
}

TEST(VulkanInstance, NamesTheLayersThatNobodyAskedFor) {
  const auto layers_with = [](const char* wish) {
    if (wish == nullptr) {
      unsetenv("VK_INSTANCE_LAYERS");
    } else {
      setenv("VK_INSTANCE_LAYERS", wish, 1);
    }
    const std::vector<DeviceInfo> devices = make_backend()->list().devices;
    return devices.empty() ? std::vector<std::string>{} : devices.front().layers;
  };
  const char* const there = std::getenv("VK_INSTANCE_LAYERS");
  const std::string kept = there == nullptr ? "" : there;
  EXPECT_EQ(layers_with(nullptr), std::vector<std::string>{});
  const std::vector<std::string> found = layers_with("VK_LAYER_KHRONOS_validation");
  if (there == nullptr) {
    unsetenv("VK_INSTANCE_LAYERS");
  } else {
    setenv("VK_INSTANCE_LAYERS", kept.c_str(), 1);
  }
  if (found.empty()) GTEST_SKIP() << "the validation layer is not installed, or there is no Vulkan device";
  EXPECT_EQ(found, std::vector<std::string>{"VK_LAYER_KHRONOS_validation"});
}

TEST(VulkanRequirements, AllAreReportedTogether) { EXPECT_EQ(unmet_requirements(DeviceFacts{}).size(), 10U); }

TEST(VulkanRequirements, ListingsWantACompilerAlone) {
  DeviceFacts facts = good_device();
  facts.queue_families = {{.compute = true, .timestamp_valid_bits = 0}};
  facts.timestamp_period = std::numeric_limits<float>::infinity();
  facts.memory_types = 0;
  EXPECT_TRUE(unmet_requirements(facts, Purpose::kListings).empty());
  EXPECT_EQ(unmet_requirements(facts).size(), 3U);
  EXPECT_EQ(unmet_requirements(facts).back(), "memory (found none: a compiler without a GPU, good for --dump-isa alone)");
  facts.queue_families.clear();
  EXPECT_EQ(unmet_requirements(facts, Purpose::kListings),
            std::vector<std::string>{"a queue family with compute (found none)"});
}

TEST(VulkanRequirements, ACompilerGetsTheChoiceThatDecidesOfCode) {
  VulkanChoice choice = {.queue = QueueKind::kGraphics, .sparse_binding = true, .compute_queues = 3, .transfer_queue = true};
  choice.matrix_units = choice.pipeline_robustness = true;
  EXPECT_EQ(of_the_compiler(choice), (VulkanChoice{.pipeline_robustness = true, .matrix_units = true}));
}

TEST(VulkanRequirements, TheQueueFamilyNeedsComputeAndTimestampsAtOnce) {
  DeviceFacts facts = good_device();
  facts.queue_families = {{.compute = false, .timestamp_valid_bits = 64}, {.compute = true, .timestamp_valid_bits = 0}};
  EXPECT_EQ(choose_queue_family(facts), std::nullopt);
  ASSERT_EQ(unmet_requirements(facts).size(), 1U);
  EXPECT_EQ(unmet_requirements(facts).front(),
            "a queue family with compute and timestampValidBits of 36 to 64 (found compute no, 64 bits; compute yes, 0 bits)");
  for (const std::uint32_t bits : {1U, 35U, 65U}) {
    facts.queue_families.back().timestamp_valid_bits = bits;
    EXPECT_EQ(choose_queue_family(facts), std::nullopt) << bits;
  }
  facts.queue_families.push_back({.compute = true, .timestamp_valid_bits = 36});
  facts.queue_families.push_back({.compute = true, .timestamp_valid_bits = 64});
  EXPECT_EQ(choose_queue_family(facts), 2U);
}

// As an H200 shows its families; the default is the one that CUDA's work resembles.
TEST(VulkanRequirements, QueuesBesideTheComputeQueue) {
  DeviceFacts facts = good_device();
  facts.queue_families = {{.compute = true, .graphics = true, .transfer = true, .timestamp_valid_bits = 64},
                          {.transfer = true, .queues = 2},
                          {.compute = true, .transfer = true, .queues = 8, .timestamp_valid_bits = 64}};
  facts.timeline_semaphore = true;
  const QueuePlan none = plan_queues(facts, 2, {});
  EXPECT_EQ(none.compute_queues, 1U);
  EXPECT_FALSE(none.transfer_family || none.graphics_family) << "nobody asked for them";
  const QueuePlan all =
      plan_queues(facts, 2, {.compute_queues = 8, .transfer_queue = true, .graphics_queue = true, .timeline = true});
  EXPECT_EQ(all.missing, "");
  EXPECT_EQ(all.transfer_family, 1U);
  EXPECT_EQ(all.graphics_family, 0U);

  EXPECT_EQ(plan_queues(facts, 2, {.compute_queues = 9}).missing, "9 queues of its compute family (found 8)");
  facts.timeline_semaphore = false;
  EXPECT_EQ(plan_queues(facts, 2, {.timeline = true}).missing, "timelineSemaphore (found none)");
  facts.queue_families.erase(facts.queue_families.begin() + 1);
  EXPECT_EQ(plan_queues(facts, 1, {.transfer_queue = true}).missing, "a queue family with transfers alone (found none)");
  facts.queue_families.erase(facts.queue_families.begin());
  EXPECT_EQ(plan_queues(facts, 0, {.graphics_queue = true}).missing,
            "a queue family with graphics beside the compute queue's (found none)");
}

TEST(VulkanRequirements, TheQueueFamilyWithoutGraphicsIsPreferred) {
  DeviceFacts facts = good_device();
  facts.queue_families = {{.compute = true, .graphics = true, .timestamp_valid_bits = 64},
                          {.compute = false, .graphics = false, .timestamp_valid_bits = 64},
                          {.compute = true, .graphics = false, .timestamp_valid_bits = 64}};
  EXPECT_EQ(choose_queue_family(facts), 2U);
  EXPECT_EQ(choose_queue_family(facts, QueueKind::kGraphics), 0U);
  facts.queue_families.back().timestamp_valid_bits = 0;
  EXPECT_EQ(choose_queue_family(facts), 0U);
  EXPECT_EQ(choose_queue_family(facts, QueueKind::kGraphics), std::nullopt) << "it would be the same";
}

TEST(VulkanBackend, SaysWhyItHasNoDevice) {
  const DeviceListing listed = make_backend()->list();
  EXPECT_EQ(listed.devices.empty(), !listed.reason.empty());
  EXPECT_EQ(listed.devices.empty(), listed.missing.find("NVIDIA_DRIVER_CAPABILITIES=all") == std::string::npos);
}

using VulkanDeviceTest = VulkanTest;
INSTANTIATE_TEST_SUITE_P(Vulkan, VulkanDeviceTest, testing::Bool(), validation_name);

std::vector<std::uint32_t> counting(std::size_t words) {
  std::vector<std::uint32_t> values(words);
  std::iota(values.begin(), values.end(), 0x01020304U);
  return values;
}

class SparseTest : public VulkanTest {
  VulkanChoice choice() const override { return {.sparse_binding = true}; }
};
INSTANTIATE_TEST_SUITE_P(Vulkan, SparseTest, testing::Bool(), validation_name);

// A number of blocks that is no power of two, and the last one not full.
TEST_P(SparseTest, EachBlockIsBoundOnce) {
  const std::vector<std::uint32_t> values = counting((12ULL << 20) / 4 + 3);
  const auto bytes = values.size() * sizeof(std::uint32_t);
  for (const PageOrder order : {PageOrder::kInOrder, PageOrder::kScattered}) {
    const std::unique_ptr<Buffer> buffer = device().offer<SparseMemory>().allocate_sparse(bytes, "sparse", order);
    EXPECT_GE(buffer->bytes(), bytes);
    device().upload(*buffer, 0, std::as_bytes(std::span(values)));
    std::vector<std::uint32_t> read(values.size());
    device().download(*buffer, 0, std::as_writable_bytes(std::span(read)));
    EXPECT_EQ(read, values);
  }
}

TEST_P(VulkanDeviceTest, WhatItDoesNotOfferIsSkipped) {
  EXPECT_EQ(device().as<StreamCalls>(), nullptr);
  EXPECT_THROW(device().offer<StreamCalls>(), Skip);
}

TEST_P(VulkanDeviceTest, AKernelsOwnPartTakesTheCommonOnesPlace) {
  KernelSpec both = {.entry = "common", .shared_bytes = 64};
  both.cuda.own.entry = "of_cuda";
  both.vulkan.own.constants = {7};
  both.vulkan.binding = BufferBinding::kAddress;
  both.vulkan.robustness = Robustness::kDisabled;
  const KernelSpec own = device().own(both);
  EXPECT_EQ(own.entry, "common");
  EXPECT_EQ(own.constants, std::vector{7U});
  EXPECT_EQ(own.shared_bytes, 64U);
  EXPECT_TRUE(own.vulkan.own.constants.empty() && own.cuda.own.entry.empty()) << "nothing is left to apply twice";
  EXPECT_EQ(device().build_of(own), "address-disabled");
  EXPECT_EQ(device().build_of({}), "");
  EXPECT_THROW(device().load(own), Skip) << "there is no GLSL";
}

TEST_P(VulkanDeviceTest, BindsNoPagesUnlessAskedTo) {
  EXPECT_THROW(device().offer<SparseMemory>().allocate_sparse(64, "sparse", PageOrder::kInOrder), Skip);
}

void fill_and_check(Device& device) {
  const std::unique_ptr<Buffer> buffer = device.allocate(64, "fill");
  device.fill(*buffer, 0, 64, 1);
  std::vector<std::uint32_t> words(16);
  device.download(*buffer, 0, std::as_writable_bytes(std::span(words)));
  EXPECT_EQ(words, std::vector<std::uint32_t>(16, 1));
}

class HighPriorityTest : public VulkanTest {
  VulkanChoice choice() const override { return {.priority = QueuePriority::kHigh}; }
};
INSTANTIATE_TEST_SUITE_P(Vulkan, HighPriorityTest, testing::Bool(), validation_name);

TEST_P(HighPriorityTest, DoesWhatItIsAskedTo) { fill_and_check(device()); }

class CompanionTest : public VulkanTest {
  VulkanChoice choice() const override { return {.companion = true}; }
};
INSTANTIATE_TEST_SUITE_P(Vulkan, CompanionTest, testing::Bool(), validation_name);

TEST_P(CompanionTest, DoesWhatItIsAskedTo) { fill_and_check(device()); }

TEST_P(VulkanDeviceTest, DescribesItself) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.api, vulkan::kApi);
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_GT(info.memory_bytes, 0U);
  EXPECT_GE(info.max_buffer_bytes, 128ULL << 20);  // the least maxStorageBufferRange is 2^27
  EXPECT_GE(info.max_grid_x, 65535U);
  EXPECT_GE(info.max_block_x, 128U);
  EXPECT_GE(info.subgroup_size, 1U);
}

// Around the 32 MiB of a staging buffer: below, exactly, and over several, at an offset.
TEST_P(VulkanDeviceTest, TransfersAreExact) {
  constexpr std::uint64_t kStaging = 32ULL << 20;
  for (const std::uint64_t bytes : {std::uint64_t{4}, kStaging, 2 * kStaging, 3 * kStaging + 12}) {
    const std::vector<std::uint32_t> values = counting(bytes / 4);
    const std::unique_ptr<Buffer> buffer = device().allocate(bytes + 12, "transfer");
    device().fill(*buffer, 0, buffer->bytes(), 0xdeadbeef);
    device().upload(*buffer, 8, std::as_bytes(std::span(values)));

    std::vector<std::uint32_t> all(buffer->bytes() / 4);
    device().download(*buffer, 0, std::as_writable_bytes(std::span(all)));
    EXPECT_EQ(all[0], 0xdeadbeef);
    EXPECT_EQ(all[1], 0xdeadbeef);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), all.begin() + 2)) << bytes;
    EXPECT_EQ(all.back(), 0xdeadbeef);

    std::vector<std::uint32_t> part(values.size());
    device().download(*buffer, 8, std::as_writable_bytes(std::span(part)));
    EXPECT_EQ(part, values) << bytes;
  }
}

TEST_P(VulkanDeviceTest, TransfersGoOnAfterACallbackThrew) {
  constexpr std::uint64_t kBytes = 100ULL << 20;  // four chunks
  const std::unique_ptr<Buffer> buffer = device().allocate(kBytes, "transfer");
  const auto fail_late = [](std::uint64_t done, auto) {
    if (done > 0) {
      throw Error("on purpose");
    }
  };
  EXPECT_THROW(device().write(*buffer, 0, kBytes, fail_late), Error);
  EXPECT_THROW(device().read(*buffer, 0, kBytes, fail_late), Error);
  std::vector<std::uint32_t> words(kBytes / 4);
  device().fill(*buffer, 0, kBytes, 7);
  device().download(*buffer, 0, std::as_writable_bytes(std::span(words)));
  EXPECT_TRUE(std::ranges::all_of(words, [](std::uint32_t word) { return word == 7; }));
}

TEST_P(VulkanDeviceTest, FillSetsItsRangeOnly) {
  const std::unique_ptr<Buffer> buffer = device().allocate(64, "fill");
  device().fill(*buffer, 0, 64, 1);
  device().fill(*buffer, 8, 16, 2);
  std::vector<std::uint32_t> words(16);
  device().download(*buffer, 0, std::as_writable_bytes(std::span(words)));
  EXPECT_EQ(words, (std::vector<std::uint32_t>{1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_P(VulkanDeviceTest, RandomWordsAreTheCpusWords) { check_fill_random(device()); }

TEST_P(VulkanDeviceTest, ChecksumsAreTheCpus) { check_checksum(device()); }

// As CUDA would import it: each use takes the memory over from outside this device, and gives it back.
TEST_P(VulkanDeviceTest, SharedMemoryIsOfTheSamePages) {
  constexpr std::uint32_t kWords = (1 << 20) + 3;
  std::unique_ptr<Buffer> owned;
  std::unique_ptr<Buffer> seen;
  try {
    owned = device().offer<SharedMemory>().allocate_shareable(kWords * 4, "shared");
    seen = device().offer<SharedMemory>().import_memory(device().offer<SharedMemory>().export_memory(*owned), "shared");
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.what();
  }
  std::vector<std::uint32_t> sent(kWords);
  std::iota(sent.begin(), sent.end(), 1U);
  device().upload(*owned, 0, std::as_bytes(std::span(sent)));
  std::vector<std::uint32_t> received(kWords);
  device().download(*seen, 0, std::as_writable_bytes(std::span(received)));
  EXPECT_EQ(received, sent);

  const std::unique_ptr<Buffer> own = device().allocate(kWords * 4, "own");
  const Copy copy{.source = seen.get(), .destination = own.get(), .bytes = kWords * 4};
  device().fill(*owned, 0, kWords * 4, 7);
  device().run(copy);
  const std::unique_ptr<Subject> subject = device().prepare(copy, {.mode = SubmitMode::kReplay});
  subject->time_device({.batch = 2});
  subject->time_host(2);
  device().download(*own, 0, std::as_writable_bytes(std::span(received)));
  EXPECT_EQ(received, std::vector<std::uint32_t>(kWords, 7));
}

TEST_P(VulkanDeviceTest, RefusesTransfersOutsideTheBuffer) {
  const std::unique_ptr<Buffer> buffer = device().allocate(64, "small");
  std::vector<std::byte> bytes(64);
  EXPECT_THROW(device().upload(*buffer, 4, bytes), Error);
  EXPECT_THROW(device().download(*buffer, 68, std::span(bytes).first(4)), Error);
  EXPECT_THROW(device().upload(*buffer, 2, std::span(bytes).first(4)), Error);
  EXPECT_THROW(device().fill(*buffer, 0, 3, 0), Error);
  EXPECT_THROW(device().fill(*buffer, ~std::uint64_t{3}, 8, 0), Error);
}

TEST_P(VulkanDeviceTest, RefusesAbsurdSizes) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 60}) {
    try {
      device().allocate(bytes, "absurd");
      ADD_FAILURE() << bytes;
    } catch (const Error& error) {  // OutOfMemory is one
      EXPECT_NE(std::string(error.what()).find("'absurd'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos) << error.what();
    }
  }
}

KernelSpec xor_spec(std::uint32_t block_x) {
  return {.images = &support_kernel("evict_l2"),
          .entry = "evict_l2",
          .block_x = block_x,
          .buffers = 2,
          .params_bytes = sizeof(EvictParams)};
}

// The eviction kernel writes the XOR that one invocation finds, if it is `wanted`. Only the last word of the last invocation's
// last uvec4 differs from 0, so the answer is there only if the whole grid of whole workgroups has run, to the end.
std::uint32_t xor_found(Device& device, std::uint32_t wanted) {
  constexpr std::uint32_t kBlock = 64;
  constexpr std::uint32_t kGrid = 3;
  constexpr std::uint32_t kSteps = 5;
  const std::unique_ptr<Kernel> kernel = device.load(xor_spec(kBlock));
  std::vector<std::uint32_t> words(std::size_t{kBlock} * kGrid * kSteps * 4);
  words.back() = 0xabcd1234;
  const std::unique_ptr<Buffer> data = device.allocate(words.size() * 4, "data");
  const std::unique_ptr<Buffer> sink = device.allocate(4, "sink");
  device.upload(*data, 0, std::as_bytes(std::span(words)));
  device.fill(*sink, 0, 4, 0xffffffff);

  const EvictParams params{.vec4_count = kBlock * kGrid * kSteps, .impossible = wanted};
  device.run(
      Launch{.kernel = kernel.get(), .grid = {kGrid, 1, 1}, .buffers = {data.get(), sink.get()}, .params = bytes_of(params)});
  std::vector<std::uint32_t> found(1);
  device.download(*sink, 0, std::as_writable_bytes(std::span(found)));
  return found[0];
}

TEST_P(VulkanDeviceTest, LabelsItsQueueWhereAToolCanSeeThem) {
  const auto range = device().profile("exp99/case");
  EXPECT_EQ(range != nullptr, GetParam()) << "the validation layer brings VK_EXT_debug_utils";
  EXPECT_EQ(xor_found(device(), 0xabcd1234), 0xabcd1234);
}

TEST_P(VulkanDeviceTest, RunsAKernel) {
  EXPECT_EQ(xor_found(device(), 0xabcd1234), 0xabcd1234);
  EXPECT_EQ(xor_found(device(), 0xabcd1235), 0xffffffff);  // the negative control: nothing is written
}

// The second pass reads what the first one wrote, and writes only if it has seen it.
TEST_P(VulkanDeviceTest, APassSeesThePassBeforeIt) {
  constexpr std::uint32_t kWord = 0xabcd1234;
  const std::unique_ptr<Kernel> kernel = device().load(xor_spec(64));
  const std::unique_ptr<Buffer> first = device().allocate(16, "first");
  const std::unique_ptr<Buffer> second = device().allocate(16, "second");
  const std::unique_ptr<Buffer> last = device().allocate(16, "last");
  device().fill(*first, 0, 4, kWord);
  const auto pass = [&](const Buffer& from, const Buffer& to) {
    return Launch{.kernel = kernel.get(),
                  .grid = {1, 1, 1},
                  .buffers = {&from, &to},
                  .params = bytes_of(EvictParams{.vec4_count = 1, .impossible = kWord})};
  };
  const auto found = [&](const Passes& passes) {
    device().fill(*first, 4, 12, 0);
    device().fill(*second, 0, 16, 0);
    device().fill(*last, 0, 16, 0);
    device().prepare(passes, {})->time_device({.batch = 1});
    std::uint32_t word = 0;
    device().download(*last, 0, std::as_writable_bytes(std::span(&word, 1)));
    return word;
  };
  EXPECT_EQ(found({{pass(*first, *second), pass(*second, *last)}}), kWord);
  EXPECT_EQ(found({{pass(*second, *last), pass(*first, *second)}}), 0U);  // the negative control: the wrong way round
  EXPECT_THROW(device().run(Passes{}), Error);
}

TEST_P(VulkanDeviceTest, CopiesBetweenBuffers) {
  const std::vector<std::uint32_t> values = counting(1000);
  const std::unique_ptr<Buffer> source = device().allocate(4000, "source");
  const std::unique_ptr<Buffer> destination = device().allocate(4000, "destination");
  device().upload(*source, 0, std::as_bytes(std::span(values)));
  device().fill(*destination, 0, 4000, 0);
  device().run(Copy{.source = source.get(), .destination = destination.get(), .bytes = 2000});
  std::vector<std::uint32_t> found(1000);
  device().download(*destination, 0, std::as_writable_bytes(std::span(found)));
  EXPECT_TRUE(std::equal(found.begin(), found.begin() + 500, values.begin()));
  EXPECT_EQ(std::accumulate(found.begin() + 500, found.end(), 0U), 0U);
  EXPECT_THROW(device().run(Copy{.source = source.get(), .destination = destination.get(), .bytes = 4004}), Error);
}

TEST_P(VulkanDeviceTest, RefusesLaunchesThatDoNotFit) {
  const std::unique_ptr<Kernel> kernel = device().load(xor_spec(64));
  const std::unique_ptr<Buffer> buffer = device().allocate(64, "buffer");
  const Launch fits{.kernel = kernel.get(),
                    .grid = {1, 1, 1},
                    .buffers = {buffer.get(), buffer.get()},
                    .params = bytes_of(EvictParams{.vec4_count = 0, .impossible = 1})};
  device().run(fits);
  Launch launch = fits;
  launch.buffers.pop_back();
  EXPECT_THROW(device().run(launch), Error);
  launch = fits;
  launch.params.pop_back();
  EXPECT_THROW(device().run(launch), Error);
  launch = fits;
  launch.grid = {0, 1, 1};
  EXPECT_THROW(device().run(launch), Error);
  launch = fits;
  launch.grid = {1, 0xffffffff, 1};
  EXPECT_THROW(device().run(launch), Error);
}

TEST_P(VulkanDeviceTest, SaysWhyThereIsNoPeer) {
  try {
    device().offer<Peers>().peer();
    FAIL() << "there is one";
  } catch (const Skip& skip) {
    EXPECT_NE(std::string_view(skip.what()).find("device group"), std::string_view::npos) << skip.what();
  }
}

TEST_P(VulkanDeviceTest, SkipsKernelsItCannotRun) {
  KernelSpec spec = xor_spec(1U << 20);
  EXPECT_THROW(device().load(spec), Skip);
  spec = xor_spec(64);
  spec.params_bytes = 1U << 20;
  EXPECT_THROW(device().load(spec), Skip);
  spec = xor_spec(64);
  spec.cuda.cluster_x = 2;
  EXPECT_THROW(device().load(spec), Skip);
  spec = xor_spec(64);
  spec.shared_bytes = 1U << 30;
  EXPECT_THROW(device().load(spec), Skip);
  const KernelImages cuda_only{.stem = "cuda_only", .cuda = {}, .spirv = {}};
  spec = xor_spec(64);
  spec.images = &cuda_only;
  EXPECT_THROW(device().load(spec), Skip);
  const std::vector<std::byte> garbage(64);
  const KernelImages broken{.stem = "broken", .cuda = {}, .spirv = garbage};
  spec.images = &broken;
  EXPECT_THROW(device().load(spec), Error);
}

TEST(ImportedArguments, AreAPointerToEachAddressAndOneToTheParams) {
  const auto at = [](const void* pointer) { return *static_cast<const std::uint64_t*>(pointer); };
  const std::vector<std::uint64_t> addresses = {0x7f0000001000, 0x7f0000002000};
  const std::vector<std::byte> params = bytes_of(std::uint64_t{42});
  const std::vector<const void*> arguments = imported_arguments(addresses, params);
  ASSERT_EQ(arguments.size(), 3U);
  EXPECT_EQ(at(arguments[0]), 0x7f0000001000U);
  EXPECT_EQ(at(arguments[1]), 0x7f0000002000U);
  EXPECT_EQ(at(arguments[2]), 42U);
  EXPECT_EQ(imported_arguments(addresses, {}).size(), 2U) << "a kernel without params has no last argument";
}

TEST_P(VulkanDeviceTest, AnImportedKernelWantsTheExtensionAndOneCubin) {
  KernelSpec spec = xor_spec(64);
  spec.vulkan.imported = true;
  try {
    device().load(spec);
    ADD_FAILURE() << "loaded from no cubin";
  } catch (const Skip& skip) {
    EXPECT_NE(std::string_view(skip.what()).find("wants VK_NVX_binary_import"), std::string_view::npos) << skip.what();
  } catch (const Error& error) {  // the device has the extension
    EXPECT_NE(std::string_view(error.what()).find("wants one cubin"), std::string_view::npos) << error.what();
  }
}

TEST_P(VulkanDeviceTest, GivesTheCodeOfAKernelOrAReason) {
  const DeviceInfo info = device().info();
  for (const bool inspect : {false, true}) {
    const std::unique_ptr<Device> device = make_backend()->open(info, {.validate = GetParam(), .inspect = inspect});
    const KernelCode code = device->load(xor_spec(64))->code();
    EXPECT_EQ(code.source.size(), support_kernel("evict_l2").spirv.size());
    EXPECT_EQ(code.arch, "") << "Vulkan does not tell";
    EXPECT_EQ(code.reason.empty(), !code.code.empty()) << code.reason;
    if (info.is_cpu) {
      EXPECT_NE(code.reason.find("a software device has no GPU code"), std::string::npos) << code.reason;
    }
    EXPECT_TRUE(inspect || (code.statistics.empty() && code.text.empty()));
    EXPECT_TRUE(device->complaints().empty()) << device->complaints().front();
  }
}

// The positive control for every test's "no complaints": a kernel one of whose buffers its layout does not have. Of push
// constants that a layout lacks, the layers of 1.4.309 say nothing.
TEST_P(VulkanDeviceTest, CollectsComplaints) {
  expect_complaints();
  KernelSpec spec = xor_spec(64);
  spec.buffers = 1;
  KernelImages images = *spec.images;  // which say that this is right
  images.takes.buffers.pop_back();
  spec.images = &images;
  device().load(spec);
  EXPECT_EQ(device().complaints().empty(), !GetParam());
  const std::unique_ptr<Backend> backend = make_backend();
  const std::unique_ptr<Device> first = backend->open(device().info(), {.validate = GetParam()});
  first->load(spec);
  EXPECT_EQ(first->complaints().empty(), !GetParam());
  const std::unique_ptr<Device> second = backend->open(device().info(), {.validate = GetParam()});
  EXPECT_TRUE(second->complaints().empty()) << "another device's of the same instance";
}

TEST_P(VulkanDeviceTest, AKernelThatTakesSomethingElseIsAnError) {
  KernelSpec spec = xor_spec(64);
  spec.params_bytes = 4;
  EXPECT_THROW(device().load(spec), Error);
  spec = xor_spec(64);
  spec.buffers += 1;
  EXPECT_THROW(device().load(spec), Error);
}

}  // namespace
}  // namespace bench::vulkan
