// A submission that leaves a dispatch out is refused, although all of its dispatches store the same words. main() is compiled
// as experiment_main(), and a fake device stands for the GPU.
#include <gtest/gtest.h>

#include <array>

#include "chain.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "tests/fake_device.h"

// Of devices that are not here.
std::unique_ptr<bench::Subject> vulkan_chain(bench::Device& /*device*/, const Chain& /*chain*/, bench::SubmitMode /*mode*/) {
  return nullptr;
}
std::unique_ptr<bench::Subject> cuda_chain(bench::Device& /*device*/, const Chain& /*chain*/, bench::SubmitMode /*mode*/) {
  return nullptr;
}

int experiment_main(int argc, char** argv);

namespace bench {
namespace {

Experiment described;

// idle: out[lane] = lane. count: ++out[lane]. Both have their output first.
void execute(const Launch& launch) {
  auto* out = words_of<std::uint32_t>(*launch.buffers.front());
  const bool counts = launch.kernel->spec().entry.starts_with("count");
  for (std::uint32_t lane = 0; lane < 32; ++lane) out[lane] = counts ? out[lane] + 1 : lane;
}

// What goes wrong in a case of 100 dispatches of which the device leaves so many out; empty: nothing.
std::string fault_with(std::uint32_t left_out) {
  Plan plan;
  plan.quick = true;
  plan.smoke = true;
  for (const Case& one : described.cases(plan)) {
    const Side& side = one.sides.front();
    if (side.variant != "idle" || side.params.text("dispatches") != "100") continue;
    FakeDevice device({}, {.execute = execute, .executes_samples = true, .left_out = left_out});
    Workbench bench(device, 42);
    try {
      side.set_up(bench);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  return "there is no such case";
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of the function that it stands for
int run_main(int /*argc*/, char** /*argv*/, const Experiment& one, std::vector<std::unique_ptr<Backend>> /*backends*/) {
  described = one;
  return 0;
}
namespace cuda {
std::unique_ptr<Backend> make_backend() { return nullptr; }
}  // namespace cuda
namespace vulkan {
std::unique_ptr<Backend> make_backend() { return nullptr; }
}  // namespace vulkan
namespace kernels {
std::span<const KernelImages> exp02() {
  static const std::array<KernelImages, 2> images = {{{"count", {}, {}}, {"idle", {}, {}}}};
  return images;
}
}  // namespace kernels

TEST(Dispatches, EachMustHaveRun) {
  ASSERT_EQ(experiment_main(0, nullptr), 0);
  EXPECT_EQ(fault_with(0), "");
  for (const std::uint32_t left_out : {1U, 99U}) {
    EXPECT_EQ(fault_with(left_out).substr(0, 45), "wrong output: 32 of 32 elements differ; [0] f") << left_out;
  }
}

}  // namespace bench
