#include "core/case_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

OpenDevices open_devices(const std::vector<DeviceInfo>& cuda) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<FakeBackend>(Api::kCuda, cuda, "", FakeBehaviour{}));
  Selection selection;
  selection.cuda = cuda.front();
  return {std::move(backends), selection, {{Api::kCuda, ""}, {Api::kVulkan, "none"}}, {}};
}

TEST(MakePlan, TheLargestSizeLeavesRoomForTheGuard) {
  DeviceInfo info = fake_gpu(Api::kCuda, 0, "small", 1);
  info.max_buffer_bytes = 1 << 20;
  OpenDevices devices = open_devices({info});
  const Plan plan = make_plan({}, devices);
  const std::uint64_t words = plan.most(sizeof(float));
  EXPECT_EQ(words, (1U << 18) - kGuardWords);
  EXPECT_LE(devices.at(Api::kCuda).workbench->output("output", words).bytes(), info.max_buffer_bytes);
}

TEST(ChooseCases, EveryWishMustMeanAVariant) {
  Experiment experiment;
  experiment.name = "exp99";
  experiment.variants = {{"add", ""}, {"add_wide", ""}, {"elsewhere", ""}};
  experiment.cases = [](const Plan&) { return std::vector<Case>{twin("add", {}, {}), twin("add_wide", {}, {})}; };
  const auto chosen = [&](std::vector<std::string> wishes) {
    Options options;
    options.variants = std::move(wishes);
    return choose_cases(experiment, options, {}).size();
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

}  // namespace
}  // namespace bench
