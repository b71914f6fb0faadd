// Graphs made node by node, with nodes that a kernel sets, and graphs and kernels that a kernel launches.
// Source: CUDA C++ Programming Guide, "Device Graph Launch" and "CUDA Dynamic Parallelism"; CUDA Runtime API,
// cudaLaunchAttributeDeviceUpdatableKernelNode.
#include <algorithm>
#include <span>
#include <vector>

#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"
#include "cuda/device/device.h"
#include "cuda/device/gate_control.h"
#include "cuda/device/graph.h"
#include "cuda/memory/buffer.h"
#include "jobs.h"

namespace {

using bench::cuda::add_kernel_node;
using bench::cuda::Arguments;
using bench::cuda::cuda_kernel;
using bench::cuda::Graph;
using bench::cuda::GraphExec;
using bench::cuda::make_executable;
using bench::cuda::new_graph;

constexpr double kMakingS = 10;         // of graphs of 1,001 nodes, with up to 4,000 bodies
constexpr double kLongestMakingS = 60;  // what is awaited: well below the Deadline's limit
constexpr std::uint32_t kTried = 100;   // conditional nodes
constexpr int kLeastDriver = 12'040;    // device-updatable and conditional nodes
constexpr int kSwitchDriver = 12'080;   // SWITCH nodes

// From now on a kernel may set the node: by this handle.
cudaGraphDeviceNode_t let_kernels_set(cudaGraphNode_t node) {
  cudaLaunchAttributeValue value{};
  value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  BENCH_CU(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
  BENCH_CU(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
  if (value.deviceUpdatableKernelNode.devNode == nullptr) throw bench::Error("a node that kernels may set has no handle");
  return value.deviceUpdatableKernelNode.devNode;
}

// Handles of nodes or graphs, where a kernel reads them.
template <class Handle>
const bench::Buffer& upload_handles(bench::Workbench& bench, const std::vector<Handle>& handles) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(handles));
  bench::Buffer& buffer = bench.output("handles", bytes.size() / sizeof(std::uint32_t));
  bench.device().upload(buffer, 0, bytes);
  return buffer;
}

void check_driver(JobsWay way) {
  const int least = way == JobsWay::kSwitched ? kSwitchDriver : kLeastDriver;
  int driver = 0;
  BENCH_CU(cudaDriverGetVersion(&driver));
  if (driver < least) {
    throw bench::Skip("a driver of CUDA {}.{} or newer wanted, of {}.{} found", least / 1000, least % 1000 / 10, driver / 1000,
                      driver % 1000 / 10);
  }
}

const char* stem_of_nodes(const JobsConfig& config) {
  switch (config.way) {
    case JobsWay::kNodesConstant:
      return "plan_nodes_constant";
    case JobsWay::kNodesApplied:
      return "plan_nodes_applied";
    case JobsWay::kNodesInOneCall:
      return "plan_nodes_in_one_call";
    default:
      return config.is_scattered() ? "plan_nodes_scattered" : "plan_nodes";
  }
}

struct JobGraphs {
  std::vector<GraphExec> launched;  // by the first one's kernel
  GraphExec first;
};

class CudaJobs {
 public:
  CudaJobs(bench::Workbench& bench, const JobsConfig& config, const bench::Buffer& tags, const PlanParams& plan)
      : bench_(bench), config_(config), tags_(tags), plan_(plan), stream_(bench::cuda::cuda_device(bench.device()).stream()) {}

  // The kernel that plans, then those of the jobs in chains.
  void known(JobGraphs& made) {
    const Graph graph = new_graph();
    std::vector<cudaGraphNode_t> ends(config_.chains,
                                      add_kernel_node(graph.handle(), plan_launch(bench_, config_, plan_), nullptr));
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < config_.jobs; ++i) {
      if (!config_.does_run(i)) continue;
      cudaGraphNode_t& end = ends[next++ % ends.size()];
      end = add_kernel_node(graph.handle(), known_job(i), end);
    }
    made.first = make_executable(graph, 0, stream_, "a graph with a node for each job");
  }

  void one_grid(JobGraphs& made) {
    const Graph graph = new_graph();
    auto* const first = add_kernel_node(graph.handle(), plan_launch(bench_, config_, plan_), nullptr);
    add_kernel_node(graph.handle(), all_jobs_launch(bench_, tags_, {0, plan_.table}, config_.jobs), first);
    made.first = make_executable(graph, 0, stream_, "a graph with one node for all jobs");
  }

  // The jobs' nodes first: the kernel that plans takes their handles.
  void nodes(JobGraphs& made) {
    const Graph graph = new_graph();
    const bool is_known = config_.way == JobsWay::kNodesConstant;
    const bench::Launch any = job_launch(bench_, tags_);
    std::vector<cudaGraphNode_t> nodes;
    std::vector<cudaGraphDeviceNode_t> handles;
    for (std::uint32_t i = 0; i < config_.jobs; ++i) {
      nodes.push_back(add_kernel_node(graph.handle(), is_known ? known_job(i) : any, nullptr));
      handles.push_back(let_kernels_set(nodes.back()));
    }
    auto* const first =
        add_kernel_node(graph.handle(), planning(stem_of_nodes(config_), upload_handles(bench_, handles)), nullptr);
    std::vector<cudaGraphNode_t> from(std::min<std::size_t>(config_.chains, nodes.size()), first);
    from.insert(from.end(), nodes.begin(), nodes.end() - std::ssize(from));
#if CUDART_VERSION >= 13000
    BENCH_CU(cudaGraphAddDependencies(graph.handle(), from.data(), nodes.data(), nullptr, nodes.size()));
#else
    BENCH_CU(cudaGraphAddDependencies(graph.handle(), from.data(), nodes.data(), nodes.size()));
#endif
    made.first = make_executable(graph, 0, stream_, "a graph whose nodes a kernel sets");
  }

  // The conditions first: the kernel that plans takes their handles.
  void conditional(JobGraphs& made) {
    check_making();
    const Graph graph = new_graph();
    const auto handles = conditions(graph, config_.jobs);
    bench::Launch plan = planning(is_switch() ? "plan_switch" : "plan_if", upload_handles(bench_, handles));
    plan.grid = {1, 1, 1};
    add_conditional_nodes(graph, handles, add_kernel_node(graph.handle(), plan, nullptr));
    made.first = make_executable(graph, 0, stream_, "a graph with a conditional node for each job");
  }

  // A graph's grid is fixed: it has room for a job's most blocks.
  void graphs(JobGraphs& made) {
    std::vector<cudaGraphExec_t> handles;
    for (std::uint32_t i = 0; i < config_.jobs; ++i) {
      const Graph one = new_graph();
      add_kernel_node(one.handle(), all_jobs_launch(bench_, tags_, {i, plan_.table}, 1), nullptr);
      made.launched.push_back(
          make_executable(one, cudaGraphInstantiateFlagDeviceLaunch, stream_, "a graph that a kernel launches"));
      handles.push_back(made.launched.back().handle());
    }
    const Graph graph = new_graph();
    add_kernel_node(
        graph.handle(),
        planning(config_.way == JobsWay::kGraphs ? "plan_graphs" : "plan_graphs_by_threads", upload_handles(bench_, handles)),
        nullptr);
    made.first = make_executable(graph, 0, stream_, "a graph whose kernel launches others");
  }

  // A kernel that plans and launches or sets something: what it reads or writes, and its errors.
  bench::Launch planning(const char* stem, const bench::Buffer& buffer) {
    errors_ = &bench_.output("errors", config_.jobs);
    bench::Launch launch = plan_launch(bench_, config_, plan_);
    launch.kernel = &load_kernel(bench_, stem, 2, sizeof(PlanParams));
    launch.buffers = {&buffer, errors_};
    return launch;
  }
  const bench::Buffer* errors() const { return errors_; }

 private:
  bool is_switch() const { return config_.way == JobsWay::kSwitched; }

  std::vector<cudaGraphConditionalHandle> conditions(const Graph& graph, std::uint32_t count) const {
    std::vector<cudaGraphConditionalHandle> handles;
    for (std::uint32_t i = 0; i < count; ++i) {
      handles.push_back(bench::cuda::make_condition(graph.handle(), is_switch() ? EXP08_MOST_BLOCKS : 0));
    }
    return handles;
  }

  // In chains behind `first`, or with roots where it is null.
  void add_conditional_nodes(const Graph& graph, const std::vector<cudaGraphConditionalHandle>& handles,
                             cudaGraphNode_t first) {
    const std::uint32_t bodies = is_switch() ? EXP08_MOST_BLOCKS : 1;
    std::vector<cudaGraphNode_t> ends(config_.chains, first);
    for (std::uint32_t i = 0; i < handles.size(); ++i) {
      cudaGraphNode_t& end = ends[i % ends.size()];
      const auto added = bench::cuda::add_conditional_node(
          graph.handle(), handles[i], is_switch() ? cudaGraphCondTypeSwitch : cudaGraphCondTypeIf, bodies, end);
      for (std::uint32_t body = 0; body < bodies; ++body) {
        bench::Launch job = known_job(i);
        if (is_switch()) job.grid = {body + 1, 1, 1};
        add_kernel_node(added.bodies[body], job, nullptr);
      }
      end = added.node;
    }
  }

  // Nobody says how long a driver takes to make a graph of so many bodies: the first ones tell, made twice, because what is
  // made first in a process may take longer. Ten times as many take up to a hundred times as long. Throws Skip.
  void check_making() {
    if (config_.jobs <= kTried) return;
    const double times = static_cast<double>(config_.jobs) / kTried;
    double took_s = 0;
    for (int i = 0; i < 2; ++i) {
      const double began_s = bench::now_s();
      const Graph graph = new_graph();
      add_conditional_nodes(graph, conditions(graph, kTried), nullptr);
      make_executable(graph, 0, stream_, "a graph with conditional nodes");
      took_s = bench::now_s() - began_s;
      if (took_s * times * times <= kLongestMakingS) return;
    }
    throw bench::Skip("this driver makes {} conditional nodes in {:.2g} s; {} would take up to {:.2g} s", kTried, took_s,
                      config_.jobs, took_s * times * times);
  }

  // With the parameters and the grid that the host knows.
  bench::Launch known_job(std::uint32_t i) {
    bench::Launch job = job_launch(bench_, tags_);
    job.params = bench::params_bytes(params_of(plan_, i));
    job.grid = {EXP08_JOB_BLOCKS(i), 1, 1};
    return job;
  }

  bench::Workbench& bench_;
  const JobsConfig& config_;
  const bench::Buffer& tags_;
  const PlanParams& plan_;
  cudaStream_t stream_;
  const bench::Buffer* errors_ = nullptr;
};

}  // namespace

TimedJobs cuda_jobs(bench::Workbench& bench, const JobsConfig& config, const bench::Buffer& tags, const PlanParams& plan) {
  check_driver(config.way);
  if (config.launches_graphs() && config.jobs > kMostGraphs) {
    throw bench::Skip("one graph's execution launches {} graphs at most, {} wanted", kMostGraphs, config.jobs);
  }
  bench::cuda::Device& device = bench::cuda::cuda_device(bench.device());
  const bench::cuda::CurrentDevice current(device.handle());
  PlanParams planned = plan;
  const bench::Buffer& table = bench.output("table", EXP08_TABLE_HEADER + config.jobs * EXP08_SEQUENCE_WORDS);
  planned.table = table_at(reinterpret_cast<std::uintptr_t>(bench::cuda::own(table).handle()));
  CudaJobs jobs(bench, config, tags, planned);
  bench::cuda::Body body;
  body.name = "jobs that the device plans";
  body.kernel =
      config.reads_table() ? all_jobs_launch(bench, tags, {0, planned.table}, 1).kernel : job_launch(bench, tags).kernel;
  if (config.way == JobsWay::kChildren) {
    const bench::Launch parent = jobs.planning(config.is_scattered() ? "plan_children_scattered" : "plan_children", tags);
    body.kernel = parent.kernel;
    auto arguments = std::make_shared<Arguments>(parent);
    body.enqueue = [arguments, kernel = &cuda_kernel(*parent.kernel), grid = parent.grid](std::span<const cudaStream_t> streams,
                                                                                          std::uint32_t /*part*/) {
      kernel->launch(streams[0], grid, arguments->get());
    };
    return {bench::cuda::prepare_control(device, std::move(body), config.variant), jobs.errors()};
  }
  auto graphs = std::make_shared<JobGraphs>();
  {
    const bench::Deadline deadline("the making of graphs", kMakingS, bench::WaitFor::kDriver);
    if (config.way == JobsWay::kKnown) {
      jobs.known(*graphs);
    } else if (config.way == JobsWay::kOneGrid) {
      jobs.one_grid(*graphs);
    } else if (config.launches_graphs()) {
      jobs.graphs(*graphs);
    } else if (config.is_conditional()) {
      jobs.conditional(*graphs);
    } else {
      jobs.nodes(*graphs);
    }
  }
  body.enqueue = [graphs](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) {
    BENCH_CU(cudaGraphLaunch(graphs->first.handle(), streams[0]), "jobs that the device plans");
  };
  if (config.is_conditional()) bench::cuda::count_as_many(body);
  return {bench::cuda::prepare_control(device, std::move(body), config.variant), jobs.errors()};
}
