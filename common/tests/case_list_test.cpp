#include "core/run/case_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/error.h"
#include "core/experiment/checks.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

OpenDevices open_devices(const std::vector<DeviceInfo>& gpus) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<FakeBackend>(cuda::kApi, gpus, "", FakeBehaviour{}));
  Selection selection;
  selection.devices[cuda::kApi] = gpus.front();
  return {std::move(backends), selection, {}, {}};
}

TEST(MakePlan, TheLargestSizeLeavesRoomForTheGuard) {
  DeviceInfo info = fake_gpu(cuda::kApi, 0, "small", 1);
  info.max_buffer_bytes = 1 << 20;
  OpenDevices devices = open_devices({info});
  const Plan plan = make_plan({}, devices);
  const std::uint64_t words = plan.most(sizeof(float));
  EXPECT_EQ(words, (1U << 18) - kGuardWords);
  EXPECT_LE(devices.at(cuda::kApi).workbench->output("output", words).bytes(), info.max_buffer_bytes);
}

TEST(ChooseCases, EveryWishMustMeanAVariant) {
  Experiment experiment;
  experiment.name = "exp99";
  experiment.variants = {{"add", ""}, {"add_wide", ""}, {"elsewhere", ""}};
  experiment.cases = [](const Plan&) { return std::vector<Case>{twin("add", {}, {}), twin("add_wide", {}, {})}; };
  const auto chosen = [&](std::vector<std::string> wishes) {
    Options options;
    options.variants = std::move(wishes);
    Plan plan;
    plan.apis = {cuda::kApi, vulkan::kApi};
    return choose_cases(experiment, options, plan).size();
  };
  EXPECT_EQ(chosen({"add"}), 1U);
  EXPECT_EQ(chosen({"add", "elsewhere"}), 1U) << "a variant that this run has no case of";
  EXPECT_EQ(chosen({"add*"}), 2U);
  EXPECT_THAT(message_of<UsageError>([&] {
                chosen({"add", "ad"});
              }),
              HasSubstr("--variant ad matches nothing; there are: add add_wide elsewhere"));
  EXPECT_THAT(message_of<UsageError>([&] { chosen({"add", "copy*"}); }), HasSubstr("--variant copy* matches nothing"));
  EXPECT_THAT(message_of<UsageError>([&] { chosen({"elsewhere"}); }), HasSubstr("matches nothing"));
}

TEST(OutputName, SaysWhatMustBeWrittenAndNothingElse) {
  Experiment experiment;
  experiment.name = "exp99_names";
  experiment.params = {Column::integer("block", "threads", "of a block"), Column::text(kMemoryParam, "whose"), checks_column()};
  Case one = twin("add", {{"block", 64}, {std::string(kMemoryParam), "own"}, {std::string(kChecksParam), "off"}}, {});
  one.elements = 32;
  one.cache = Cache::kCold;
  EXPECT_EQ(case_name(experiment, one, one.sides[0]), "exp99/add/block:64/memory:own/checks:off/n:32/cold");
  for (const Side& side : one.sides) EXPECT_EQ(output_name(experiment, one, side), "exp99/add/block:64/n:32");
}

class ShuffleCases : public testing::Test {
 protected:
  // "c/32/3": queue, fetched bytes, and which of the list it was.
  static std::vector<std::string> shuffled(std::uint64_t seed) {
    std::vector<Case> cases;
    for (std::uint32_t i = 0; i < 60; ++i) {
      Case one = twin(std::to_string(i), {}, {});
      one.vulkan.queue = i % 4 == 0 ? QueueKind::kGraphics : QueueKind::kCompute;
      one.l2_fetch_bytes = i % 3 * 32;
      cases.push_back(one);
    }
    shuffle_cases(cases, seed);
    std::vector<std::string> names;
    for (const Case& one : cases) {
      names.push_back(fmt::format("{}/{}/{}", one.vulkan.queue == QueueKind::kGraphics ? 'g' : 'c', one.l2_fetch_bytes,
                                  one.sides.front().variant));
    }
    return names;
  }
  // How often the first `length` characters change from one name to the next.
  static std::size_t changes(const std::vector<std::string>& names, std::size_t length) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < names.size(); ++i)
      count += names[i].substr(0, length) != names[i - 1].substr(0, length) ? 1 : 0;
    return count;
  }
};

TEST_F(ShuffleCases, EverySeedHasAnOrderOfItsOwn) {
  EXPECT_EQ(shuffled(7), shuffled(7));
  EXPECT_NE(shuffled(7), shuffled(8));
  std::vector<std::string> one = shuffled(7);
  std::vector<std::string> other = shuffled(8);
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  EXPECT_EQ(one, other) << "none is lost, none is there twice";
}

TEST_F(ShuffleCases, TheQueueChangesOnce) {
  std::set<std::string> first;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const std::vector<std::string> names = shuffled(seed);
    EXPECT_EQ(changes(names, 1), 1U);
    EXPECT_EQ(changes(names, 3), 5U) << "and what the L2 fetches twice in each";
    first.insert(names.front().substr(0, 3));
  }
  EXPECT_GT(first.size(), 3U) << "the groups themselves are in a random order";
}

TEST_F(ShuffleCases, CasesOfOneDeviceFollowEachOtherWhateverTellsItFromOthers) {
  const std::vector<std::function<void(VulkanChoice&)>> settings = {
      [](VulkanChoice&) {},
      [](VulkanChoice& one) { one.host_pointers = true; },
      [](VulkanChoice& one) { one.transfer_queue = one.host_pointers = true; },
      [](VulkanChoice& one) { one.reconvergence = true; },
      [](VulkanChoice& one) { one.conditional_rendering = true; },
      [](VulkanChoice& one) { one.generated_commands = true; },
      [](VulkanChoice& one) { one.matrix_units = true; },
      [](VulkanChoice& one) { one.atomics = true; },
      [](VulkanChoice& one) {
        one.capabilities = {1, 2};
      },
      [](VulkanChoice& one) { one.capabilities = {2}; }};
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    std::vector<Case> cases;
    for (std::size_t i = 0; i < 5 * settings.size(); ++i) {
      settings[i % settings.size()](cases.emplace_back(twin(std::to_string(i), {}, {})).vulkan);
    }
    shuffle_cases(cases, seed);
    std::size_t count = 0;
    for (std::size_t i = 1; i < cases.size(); ++i) count += cases[i].vulkan == cases[i - 1].vulkan ? 0 : 1;
    EXPECT_EQ(count, settings.size() - 1);
  }
}

TEST_F(ShuffleCases, EachPlaceIsAsLikely) {
  double sum = 0;
  constexpr std::uint64_t kSeeds = 400;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::vector<std::string> names = shuffled(seed);
    const auto is_first = [](const std::string& name) { return name.ends_with("/0/0"); };
    sum += static_cast<double>(std::find_if(names.begin(), names.end(), is_first) - names.begin());
  }
  // Of 60 places: standard error of the mean 17.3 / sqrt(400).
  EXPECT_NEAR(sum / kSeeds, 29.5, 4 * 17.3 / 20);
}

}  // namespace
}  // namespace bench
