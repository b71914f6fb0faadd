#include "jobs.h"

namespace {

const char* name_of(JobsWay way) {
  switch (way) {
    case JobsWay::kKnown:
      return "known";
    case JobsWay::kOneGrid:
      return "one_grid";
    case JobsWay::kIndirect:
      return "indirect";
    case JobsWay::kGenerated:
      return "generated";
    case JobsWay::kPreprocessed:
      return "preprocessed";
    case JobsWay::kExecuted:
      return "executed";
    case JobsWay::kNodes:
      return "nodes";
    case JobsWay::kNodesConstant:
      return "nodes_constant";
    case JobsWay::kNodesApplied:
      return "nodes_applied";
    case JobsWay::kNodesInOneCall:
      return "nodes_in_one_call";
    case JobsWay::kConditional:
      return "conditional";
    case JobsWay::kSwitched:
      return "switched";
    case JobsWay::kGraphs:
      return "graphs";
    case JobsWay::kGraphsByThreads:
      return "graphs_by_threads";
    case JobsWay::kChildren:
      return "children";
  }
  return "";
}

}  // namespace

std::string JobsConfig::way_name() const {
  return chains == kChains ? name_of(way) : std::string(name_of(way)) + "_" + std::to_string(chains);
}

std::uint32_t word_after(const JobsConfig& config, std::uint64_t i, std::uint32_t untouched) {
  const auto block = static_cast<std::uint32_t>(i);
  const std::uint32_t job = block / EXP08_MOST_BLOCKS;
  const bool runs = config.does_run(job) && block % EXP08_MOST_BLOCKS < EXP08_JOB_BLOCKS(job);
  return runs ? EXP08_TAG(block) : untouched;
}

JobParams params_of(const PlanParams& plan, std::uint32_t job) { return {job * EXP08_MOST_BLOCKS, plan.ticks, plan.max_turns}; }
