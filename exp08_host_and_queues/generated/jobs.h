// The experiment's table in code: jobs that the GPU plans, and each way to run them, by either API.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/experiment/experiment.h"
#include "params.h"

inline constexpr std::uint32_t kBlock = EXP08_THREADS;
inline constexpr std::uint32_t kChains = 128;  // of a graph's nodes: the quickest of exp08_dispatches' curve for jobs of 10 µs
// Graphs that one graph's execution may launch. Source: CUDA C++ Programming Guide, "Fire and Forget Launch".
inline constexpr std::uint32_t kMostGraphs = 120;

enum class JobsWay : std::uint8_t {
  kKnown,    // nothing is decided: a command buffer or a graph with each job's launch; the kernel that plans runs all the same
  kOneGrid,  // one launch with room for all blocks, whose kernel reads the table
  // Vulkan alone.
  kIndirect,      // an indirect dispatch for each job that there may be
  kGenerated,     // generated commands, preprocessed within their execution
  kPreprocessed,  // the same, preprocessed by a command of its own
  kExecuted,      // the same, planned and preprocessed before the time begins
  // CUDA alone.
  kNodes,            // a graph whose nodes the kernel that plans sets: grid, parameters, whether it runs
  kNodesConstant,    // the same, but the nodes have their parameters
  kNodesApplied,     // kNodes, by one call for each node
  kNodesInOneCall,   // kNodes, by one call for each block's nodes
  kConditional,      // a graph with an IF node for each job
  kSwitched,         // a graph with a SWITCH node for each job, with a body for each size
  kGraphs,           // a graph for each job, which one thread of the kernel that plans launches
  kGraphsByThreads,  // the same, each launched by a thread of its own
  kChildren,         // dynamic parallelism: the kernel that plans launches each job
};

struct JobsConfig {
  const char* variant;
  JobsWay way = JobsWay::kKnown;
  std::uint32_t jobs = 1;  // that there may be
  std::uint32_t runs = 1;  // of which so many run
  std::uint32_t work_ns = 0;
  std::uint32_t chains = kChains;  // of a graph's nodes; CUDA alone

  std::string way_name() const;
  bool is_scattered() const { return std::string_view(variant) == "scattered"; }
  // Whether the kernel that plans decides so.
  bool does_run(std::uint32_t job) const { return (is_scattered() ? EXP08_SCATTERED_PLACE(job, jobs) : job) < runs; }
  std::uint32_t blocks() const { return jobs * EXP08_MOST_BLOCKS; }  // at most
  // Its kernels find their jobs in the table, and have nothing to do in blocks too many.
  bool reads_table() const { return way == JobsWay::kOneGrid || launches_graphs(); }
  bool launches_graphs() const { return way == JobsWay::kGraphs || way == JobsWay::kGraphsByThreads; }
  bool is_conditional() const { return way == JobsWay::kConditional || way == JobsWay::kSwitched; }
  // Its commands are read from the table's begin: jobs that do not run have no place in it.
  bool is_generated() const { return way == JobsWay::kGenerated || way == JobsWay::kPreprocessed || way == JobsWay::kExecuted; }
  // The kernel that plans, in both APIs; what launches or sets something has one of its own.
  const char* plan_name() const { return !is_scattered() ? "plan" : is_generated() ? "plan_packed" : "plan_scattered"; }
};

// Block i's word afterwards: of a job that did not run, and of blocks that a job does not have, `untouched`.
std::uint32_t word_after(const JobsConfig& config, std::uint64_t i, std::uint32_t untouched);
// The parameters of one of the jobs, where the host knows them.
JobParams params_of(const PlanParams& plan, std::uint32_t job);

// What is timed, and what a kernel that launches or sets something leaves: an error for each job, which must be 0.
struct TimedJobs {
  std::unique_ptr<bench::Subject> subject;
  const bench::Buffer* errors = nullptr;
};
// `plan` lacks the table's address, which is the API's to choose. Throw Skip where the device lacks something.
TimedJobs vulkan_jobs(bench::Workbench& bench, const JobsConfig& config, const bench::Buffer& tags, const PlanParams& plan);
TimedJobs cuda_jobs(bench::Workbench& bench, const JobsConfig& config, const bench::Buffer& tags, const PlanParams& plan);

// A kernel of this program, whose blocks have kBlock threads.
const bench::Kernel& load_kernel(bench::Workbench& bench, const char* stem, std::uint32_t buffers, std::size_t params_bytes);
bench::Launch plan_launch(bench::Workbench& bench, const JobsConfig& config, const PlanParams& plan);
bench::Launch job_launch(bench::Workbench& bench, const bench::Buffer& tags);
// From `first_job` on, so many.
bench::Launch all_jobs_launch(bench::Workbench& bench, const bench::Buffer& tags, const AllJobsParams& params,
                              std::uint32_t jobs);
inline TableAddress table_at(std::uint64_t address) {
  return {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32)};
}
