// What does it cost that the L2 has two halves, and which half does a block run in?
#include <algorithm>

#include "backends.h"
#include "core/experiment/experiment.h"
#include "homes.h"
#include "sm_shares.h"

namespace {

using bench::Column;
using bench::Plan;

constexpr std::uint32_t kLargestLog2 = 28;  // 2^28 floats * 4 B = 1 GiB a buffer

std::vector<bench::Case> cases(const Plan& plan) {
  const std::uint64_t largest = plan.largest(kLargestLog2, sizeof(float));
  std::vector<bench::Case> each = share_cases(largest);
  each.push_back(gpc_case());
  for (bench::Case& one : home_cases(largest)) each.push_back(std::move(one));
  std::vector<bench::Case> list;
  for (bench::Case& one : each) {
    for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
      one.cache = cache;
      list.push_back(one);
    }
  }
  const auto is_plain = [](const bench::Case& one) { return one.sides.front().variant == "write_share"; };
  for (const bench::Case& aa : bench::aa_controls(*std::find_if(list.begin(), list.end(), is_plain))) list.push_back(aa);
  return list;
}

std::vector<Column> measured_columns() {
  std::vector<Column> columns = share_columns();
  for (const Column& column : home_columns()) columns.push_back(column);
  return columns;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp10_l2_halves",
      .question = "What does it cost that the L2 has two halves, and which half does a block run in?",
      .params = {Column::integer("block", "threads", "of a block"),
                 Column::text("feature", "where the stores go: what part of a buffer, or which half of the SMs and which home"),
                 Column::text("memory", "whose pages the data are in: own, from_cuda or from_vulkan")},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"write_share",
                    "16-byte stores into 1 GiB, or over and over into a part of it, and how many blocks each SM ran"},
                   {"gpc_members", "CUDA alone: which SMs a cluster's blocks run on, that is, which are one GPC's"},
                   {"home_store", "16-byte stores by the SMs of one half into the granules of one home: 4 bytes a float"},
                   {"home_load", "the same granules read, 16-byte accesses: 4 bytes a float"},
                   {"aa_control_a", "A/A control: write_share, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
