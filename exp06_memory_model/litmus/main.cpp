// Does the hardware show what the memory models allow, and never what they forbid?
#include <algorithm>
#include <bit>

#include "backends.h"
#include "core/experiment/experiment.h"
#include "observe.h"

namespace {

using bench::Column;
using litmus::Placement;
using litmus::Strength;

litmus::Plan plan_for(const bench::Plan& plan) {
  litmus::Plan result;
  // All at once, and some that stress beside them. H200: 132 SMs x 8 = 1056 blocks are 1024 and 32.
  constexpr std::uint32_t kThreads = 256;
  const std::uint32_t resident = plan.resident_blocks(kThreads);
  const std::uint32_t stress = std::max(resident / 33, 1U);
  result.shape = {.threads = kThreads,
                  .test_blocks = std::bit_floor(std::max(resident - stress, 2U)),
                  .stress_blocks = stress,
                  .rounds = 8,
                  .flag_looks = 1U << 14};
  result.forbidden = {.instances = 200'000'000, .seconds = 1};
  result.allowed = {.instances = 100'000'000, .seconds = 0.2};
  result.searched = 16;
  result.tries = 4;
  if (plan.quick) {
    result.forbidden = {.instances = 100'000'000, .seconds = 0.5};
    result.allowed = {.instances = 20'000'000, .seconds = 0.1};
    result.searched = 8;
    result.tries = 2;
  }
  if (plan.smoke) {
    result.forbidden = result.allowed = {.instances = 1, .seconds = 0};
    result.searched = result.tries = 1;
  }
  if (plan.cpu) {
    result.shape = {.threads = 128, .test_blocks = 8, .stress_blocks = 4, .rounds = 2, .flag_looks = 64};
    result.forbidden.instances = result.allowed.instances = plan.smoke ? 1 : 65536;
    result.searched = result.tries = plan.smoke ? 1 : 2;
  }
  return result;
}

bench::Case make_case(const litmus::Row& row, const litmus::Plan& plan, const std::shared_ptr<litmus::Found>& found) {
  const bool forbidden = rule(*row.test, row.strength, row.placement).forbidden;
  bench::Case result = bench::twin(std::string(row.test->name),
                                   {{"placement", to_string(row.placement)},
                                    {"strength", to_string(row.strength)},
                                    {"outcome", forbidden ? "forbidden" : "allowed"}},
                                   [=](bench::Workbench& bench) { return set_up(bench, row, plan, found); });
  // Vulkan has neither clusters nor sequentially consistent fences, and plain accesses may not race there.
  if (row.placement == Placement::kCluster || !in_vulkan(row.strength)) result.apis = {{bench::cuda::kApi}};
  result.elements = plan.shape.instances();
  result.spins = true;     // its threads wait for each other
  result.fixed_batch = 1;  // a launch starts from what the count of the one before has set back, which is not timed
  result.budget_part = 0.05;
  result.host_samples = 1;
  return result;
}

bench::Case constant_case(const std::string& when, const litmus::Plan& plan) {
  bench::Case result;
  result.sides = {{.api = bench::cuda::kApi,
                   .variant = "constant",
                   .params = {{"placement", "block"}, {"strength", when}, {"outcome", "undefined"}},
                   .set_up = [=](bench::Workbench& bench) { return set_up_constant(bench, "constant_" + when, plan); }}};
  result.elements = 1;
  result.budget_part = 0.05;
  result.host_samples = 1;
  return result;
}

// Every test, placement and strength; tests.cpp has the table.
std::vector<bench::Case> cases(const bench::Plan& wanted) {
  const litmus::Plan plan = plan_for(wanted);
  const auto found = std::make_shared<litmus::Found>();
  std::vector<bench::Case> list;
  for (const litmus::Test& test : litmus::tests()) {
    for (const Placement placement : {Placement::kBlocks, Placement::kCluster, Placement::kBlock}) {
      if (wanted.quick && placement == Placement::kCluster) continue;
      for (const Strength strength : test.strengths) list.push_back(make_case({&test, strength, placement}, plan, found));
    }
  }
  // Last: should a GPU object to the store, nothing comes after it.
  for (const char* when : {"at_once", "after_barrier", "read_before"}) list.push_back(constant_case(when, plan));
  if (wanted.cpu) {
    for (bench::Case& one : list) one.fixed_batch = 1;  // no time worth having
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Experiment experiment = {
      .name = "exp06_litmus",
      .question = "Does the hardware show what the memory models allow, and never what they forbid?",
      .params = {Column::text("placement", "where the threads of an instance are: block, cluster or blocks"),
                 Column::text("strength", "of the accesses and of the fence between them"),
                 Column::text("outcome", "what the memory models say of the weak one: forbidden, allowed or undefined")},
      .model = {},
      .measured = litmus::measured_columns(),
      .variants = {},
      .cases = cases,
      .takes_size = false,
  };
  for (const litmus::Test& test : litmus::tests())
    experiment.variants.push_back({std::string(test.name), std::string(test.text)});
  experiment.variants.push_back(
      {"constant", "a post's __constant__ variable, overwritten through a pointer: who reads the old value?"});
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
