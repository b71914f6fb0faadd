#include "memory.h"

#include "../host.h"
#include "factory.h"
#include "vulkan/device/backend.h"

namespace {

using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kSets = 1000;

bench::Case finished(bench::Case made, std::uint64_t elements) {
  made.elements = elements;
  made.fixed_batch = 1;
  made.budget_part = 0.5;
  return made;
}

}  // namespace

std::vector<bench::Case> memory_cases(const Plan& plan) {
  std::vector<bench::Case> list;
  const bool few = plan.smoke || plan.cpu;
  for (const auto& [how, name] : {std::pair{Allocation::kDedicated, "dedicated"}, {Allocation::kFromBlock, "from_block"}}) {
    for (const std::uint64_t log2 : {10U, 16U, 20U, 25U, 30U}) {
      const std::uint64_t bytes = 1ULL << log2;
      if ((few && log2 > 16) || (plan.quick && log2 != 10 && log2 != 25)) continue;
      if (plan.memory_bytes != 0 && bytes > Plan::share_of(plan.memory_bytes, Plan::kBuffers)) continue;
      list.push_back(finished(
          bench::twin(
              "allocate", {{"how", name}},
              [as = how, bytes](Workbench& bench) -> Prepared {
                Factory& own = factory(bench);
                const auto check = [&own, as, bytes] { own.check_allocation(as, bytes); };
                check();
                bench.compared();
                bench.makes_outputs_anew({}, check);
                return {std::make_unique<HostTimed>([&own, as, bytes] { return own.allocate(as, bytes); }), host_values};
              }),
          bytes / sizeof(std::uint32_t)));
    }
  }
  for (const auto& [what, name] : {std::pair{Sets::kPool, "pool"},
                                   {Sets::kAtOnce, "at_once"},
                                   {Sets::kOneByOne, "one_by_one"},
                                   {Sets::kWritten, "written"}}) {
    bench::Case made = bench::twin("descriptor_sets", {{"how", name}}, [sets = what](Workbench& bench) -> Prepared {
      Factory& own = factory(bench);
      own.descriptor_sets(sets, kSets);
      bench.nothing_to_compare();
      return {std::make_unique<HostTimed>([&own, sets] { return own.descriptor_sets(sets, kSets); }), host_values};
    });
    made.apis = {{bench::vulkan::kApi}};
    list.push_back(finished(std::move(made), kSets));
  }
  return list;
}
