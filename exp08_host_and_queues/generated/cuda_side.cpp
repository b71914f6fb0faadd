// Graphs made node by node, with nodes that a kernel sets, and graphs and kernels that a kernel launches.
// Source: CUDA C++ Programming Guide, "Device Graph Launch" and "CUDA Dynamic Parallelism"; CUDA Runtime API,
// cudaLaunchAttributeDeviceUpdatableKernelNode.
#include <algorithm>
#include <span>
#include <vector>

#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"
#include "cuda/device/device.h"
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

constexpr double kMakingS = 1;        // of graphs of 1,001 nodes
constexpr int kLeastDriver = 12'040;  // device-updatable nodes
constexpr std::size_t kChains = 128;  // of a graph's nodes: the quickest of exp08_dispatches' curve for jobs of 10 µs

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

void check_driver() {
  int driver = 0;
  BENCH_CU(cudaDriverGetVersion(&driver));
  if (driver < kLeastDriver) {
    throw bench::Skip("a driver of CUDA 12.4 or newer wanted, of {}.{} found", driver / 1000, driver % 1000 / 10);
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
    std::vector<cudaGraphNode_t> ends(kChains, add_kernel_node(graph.handle(), plan_launch(bench_, plan_), nullptr));
    bench::Launch job = job_launch(bench_, tags_);
    for (std::uint32_t i = 0; i < config_.runs; ++i) {
      job.params = bench::params_bytes(params_of(plan_, i));
      job.grid = {EXP08_JOB_BLOCKS(i), 1, 1};
      ends[i % kChains] = add_kernel_node(graph.handle(), job, ends[i % kChains]);
    }
    made.first = make_executable(graph, 0, stream_, "a graph with a node for each job");
  }

  void one_grid(JobGraphs& made) {
    const Graph graph = new_graph();
    auto* const first = add_kernel_node(graph.handle(), plan_launch(bench_, plan_), nullptr);
    add_kernel_node(graph.handle(), all_jobs_launch(bench_, tags_, {0, plan_.table}, config_.jobs), first);
    made.first = make_executable(graph, 0, stream_, "a graph with one node for all jobs");
  }

  // The jobs' nodes first: the kernel that plans takes their handles.
  void nodes(JobGraphs& made) {
    const Graph graph = new_graph();
    const bench::Launch job = job_launch(bench_, tags_);
    std::vector<cudaGraphNode_t> nodes;
    std::vector<cudaGraphDeviceNode_t> handles;
    for (std::uint32_t i = 0; i < config_.jobs; ++i) {
      nodes.push_back(add_kernel_node(graph.handle(), job, nullptr));
      handles.push_back(let_kernels_set(nodes.back()));
    }
    auto* const first = add_kernel_node(graph.handle(), planning("plan_nodes", upload_handles(bench_, handles)), nullptr);
    std::vector<cudaGraphNode_t> from(std::min(kChains, nodes.size()), first);
    from.insert(from.end(), nodes.begin(), nodes.end() - std::ssize(from));
#if CUDART_VERSION >= 13000
    BENCH_CU(cudaGraphAddDependencies(graph.handle(), from.data(), nodes.data(), nullptr, nodes.size()));
#else
    BENCH_CU(cudaGraphAddDependencies(graph.handle(), from.data(), nodes.data(), nodes.size()));
#endif
    made.first = make_executable(graph, 0, stream_, "a graph whose nodes a kernel sets");
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
    add_kernel_node(graph.handle(), planning("plan_graphs", upload_handles(bench_, handles)), nullptr);
    made.first = make_executable(graph, 0, stream_, "a graph whose kernel launches others");
  }

  // A kernel that plans and launches or sets something: what it reads or writes, and its errors.
  bench::Launch planning(const char* stem, const bench::Buffer& buffer) {
    errors_ = &bench_.output("errors", config_.jobs);
    bench::Launch launch = plan_launch(bench_, plan_);
    launch.kernel = &load_kernel(bench_, stem, 2, sizeof(PlanParams));
    launch.buffers = {&buffer, errors_};
    return launch;
  }
  const bench::Buffer* errors() const { return errors_; }

 private:
  bench::Workbench& bench_;
  const JobsConfig& config_;
  const bench::Buffer& tags_;
  const PlanParams& plan_;
  cudaStream_t stream_;
  const bench::Buffer* errors_ = nullptr;
};

}  // namespace

TimedJobs cuda_jobs(bench::Workbench& bench, const JobsConfig& config, const bench::Buffer& tags, const PlanParams& plan) {
  check_driver();
  if (config.way == JobsWay::kGraphs && config.jobs > kMostGraphs) {
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
    const bench::Launch parent = jobs.planning("plan_children", tags);
    body.kernel = parent.kernel;
    auto arguments = std::make_shared<Arguments>(parent);
    body.enqueue = [arguments, kernel = &cuda_kernel(*parent.kernel), grid = parent.grid](std::span<const cudaStream_t> streams,
                                                                                          std::uint32_t /*part*/) {
      kernel->launch(streams[0], grid, arguments->get());
    };
    return {device.prepare(std::move(body)), jobs.errors()};
  }
  auto graphs = std::make_shared<JobGraphs>();
  {
    const bench::Deadline deadline("the making of graphs", kMakingS, bench::WaitFor::kDriver);
    if (config.way == JobsWay::kKnown) {
      jobs.known(*graphs);
    } else if (config.way == JobsWay::kOneGrid) {
      jobs.one_grid(*graphs);
    } else if (config.way == JobsWay::kNodes) {
      jobs.nodes(*graphs);
    } else {
      jobs.graphs(*graphs);
    }
  }
  body.enqueue = [graphs](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) {
    BENCH_CU(cudaGraphLaunch(graphs->first.handle(), streams[0]), "jobs that the device plans");
  };
  return {device.prepare(std::move(body)), jobs.errors()};
}
