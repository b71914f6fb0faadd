// CUDA's graphs that are made node by node: of chains, with conditional nodes, and such as kernels launch.
// Source: CUDA C++ Programming Guide, "Creating a Graph Using Graph APIs", "Conditional Graph Nodes" and "Device Graph Launch".
#include <span>
#include <vector>

#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"
#include "cuda/device/device.h"
#include "cuda/device/gate_control.h"
#include "cuda/device/graph.h"
#include "cuda/memory/buffer.h"
#include "decided.h"

namespace {

using bench::cuda::cuda_kernel;
using bench::cuda::Graph;
using bench::cuda::GraphExec;
using bench::cuda::make_executable;
using bench::cuda::new_graph;

constexpr double kMakingS = 1;        // of graphs of 2,001 nodes
constexpr int kLeastDriver = 12'040;  // conditional nodes as the toolkit has them

// A kernel with its parameters as a graph's node: they are copied as it is added.
class Chain {
 public:
  explicit Chain(cudaGraph_t graph) : graph_(graph) {}

  template <class Params>
  void add(const bench::Launch& launch, const Params& params) {
    bench::Launch node = launch;
    node.params = bench::params_bytes(params);
    last_ = bench::cuda::add_kernel_node(graph_, node, last_);
  }

  // Of a node of this graph; `no` as each launch begins.
  cudaGraphConditionalHandle condition() { return bench::cuda::make_condition(graph_, 0); }

  // The body's graph, which belongs to the node.
  cudaGraph_t add_conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type) {
    const auto added = bench::cuda::add_conditional_node(graph_, handle, type, 1, last_);
    last_ = added.node;
    return added.bodies.front();
  }

 private:
  cudaGraph_t graph_;
  cudaGraphNode_t last_ = nullptr;
};

void guarded(const Graph& graph, const Config& config, const Decided& what) {
  Chain chain(graph.handle());
  for (std::uint32_t i = 0; i < config.dispatches; ++i) {
    const WorkParams mine = {i * config.blocks, 0, 0};
    if (config.way == DispatchMethod::kKnown) {
      chain.add(what.decide, decide_params(config, i, {}));
      chain.add(what.work, mine);
      continue;
    }
    const cudaGraphConditionalHandle handle = chain.condition();
    chain.add(what.decide, decide_params(config, i, decision_for(handle)));
    Chain body(chain.add_conditional(handle, cudaGraphCondTypeIf));
    body.add(what.work, mine);
  }
}

void repeated(const Graph& graph, const Config& config, const Decided& what) {
  Chain chain(graph.handle());
  const LoopedParams looped = {config.blocks};
  if (config.way == DispatchMethod::kTail) {  // what begins it is launched before
    chain.add(what.work, looped);
    chain.add(what.decide, advance_params(config, false, {}));
    return;
  }
  if (config.way == DispatchMethod::kKnownLoop) {
    chain.add(what.decide, advance_params(config, true, {}));
    for (std::uint32_t step = 0; step < config.dispatches; ++step) {
      chain.add(what.work, looped);
      chain.add(what.decide, advance_params(config, false, {}));
    }
    return;
  }
  const cudaGraphConditionalHandle handle = chain.condition();
  chain.add(what.decide, advance_params(config, true, decision_for(handle)));
  Chain body(chain.add_conditional(handle, cudaGraphCondTypeWhile));
  body.add(what.work, looped);
  body.add(what.decide, advance_params(config, false, decision_for(handle)));
}

template <class Params>
void launch_one(const bench::Launch& launch, Params params, cudaStream_t stream) {
  void* buffer = bench::cuda::own(*launch.buffers.at(0)).handle();
  void* arguments[] = {&buffer, &params};
  cuda_kernel(*launch.kernel).launch(stream, launch.grid, arguments);
}

void check_driver() {
  int driver = 0;
  BENCH_CU(cudaDriverGetVersion(&driver));
  if (driver < kLeastDriver) {
    throw bench::Skip("a driver of CUDA 12.4 or newer wanted, of {}.{} found", driver / 1000, driver % 1000 / 10);
  }
}

}  // namespace

std::unique_ptr<bench::Subject> cuda_decided(bench::Workbench& bench, const Config& config, const Decided& what) {
  check_driver();
  bench::cuda::Device& device = bench::cuda::cuda_device(bench.device());
  const bench::cuda::CurrentDevice current(device.handle());
  auto executable = std::make_shared<GraphExec>();
  {
    const bench::Deadline deadline("the making of a graph", kMakingS, bench::WaitFor::kDriver);
    const Graph graph = new_graph();
    if (config.is_loop()) {
      repeated(graph, config, what);
    } else {
      guarded(graph, config, what);
    }
    const unsigned long long flags = config.way == DispatchMethod::kTail ? cudaGraphInstantiateFlagDeviceLaunch : 0;
    *executable = make_executable(graph, flags, device.stream(), "work that the device decides about");
  }
  bench::cuda::Body body;
  body.name = "work that the device decides about";
  body.kernel = what.work.kernel;
  body.calls = 2;
  body.enqueue = [executable, config, what](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) {
    // A graph that launches itself cannot begin its own loop.
    if (config.way == DispatchMethod::kTail) launch_one(what.begin, advance_params(config, true, {}), streams[0]);
    BENCH_CU(cudaGraphLaunch(executable->handle(), streams[0]), "work that the device decides about");
  };
  return device.prepare(std::move(body));
}

// What nothing precedes is a root: where every chain has one node, nodes without an edge.
std::unique_ptr<bench::Subject> cuda_chains(bench::Workbench& bench, const Config& config, const bench::Launch& launch,
                                            const WorkParams& params) {
  bench::cuda::Device& device = bench::cuda::cuda_device(bench.device());
  const bench::cuda::CurrentDevice current(device.handle());
  auto executable = std::make_shared<GraphExec>();
  {
    const bench::Deadline deadline("the making of a graph", kMakingS, bench::WaitFor::kDriver);
    const Graph graph = new_graph();
    std::vector<Chain> chains(config.lanes, Chain(graph.handle()));
    for (std::uint32_t i = 0; i < config.dispatches; ++i) chains[i % config.lanes].add(launch, params_of(config, i, params));
    *executable = make_executable(graph, 0, device.stream(), "a graph of chains");
  }
  bench::cuda::Body body;
  body.name = "a graph of chains";
  body.kernel = launch.kernel;
  body.enqueue = [executable](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) {
    BENCH_CU(cudaGraphLaunch(executable->handle(), streams[0]), "a graph of chains");
  };
  return bench::cuda::prepare_control(device, std::move(body), config.name);
}

std::unique_ptr<bench::Subject> cuda_launched(bench::Workbench& bench, const Config& config, const bench::Launch& launch,
                                              const WorkParams& params, const bench::Buffer& state) {
  check_driver();
  if (config.dispatches > kMostLaunched) {
    throw bench::Skip("one graph's execution launches {} graphs at most, {} wanted", kMostLaunched, config.dispatches);
  }
  bench::cuda::Device& device = bench::cuda::cuda_device(bench.device());
  const bench::cuda::CurrentDevice current(device.handle());
  struct Graphs {
    std::vector<GraphExec> launched;
    GraphExec first;  // whose kernel launches them
  };
  auto graphs = std::make_shared<Graphs>();
  bench::Launch first;
  first.kernel = &load_kernel(bench, "launch_graphs", "launch_graphs", 2, sizeof(LaunchParams));
  first.grid = {1, 1, 1};
  const bench::Buffer& handles = bench.output("graphs", config.dispatches * sizeof(cudaGraphExec_t) / sizeof(std::uint32_t));
  first.buffers = {&handles, &state};
  {
    const bench::Deadline deadline("the making of graphs", kMakingS, bench::WaitFor::kDriver);
    std::vector<cudaGraphExec_t> raw;
    for (std::uint32_t i = 0; i < config.dispatches; ++i) {
      const Graph one = new_graph();
      Chain(one.handle()).add(launch, params_of(config, i, params));
      graphs->launched.push_back(
          make_executable(one, cudaGraphInstantiateFlagDeviceLaunch, device.stream(), "a graph that a kernel launches"));
      raw.push_back(graphs->launched.back().handle());
    }
    BENCH_CU(cudaMemcpyAsync(bench::cuda::own(handles).handle(), raw.data(), std::span(raw).size_bytes(),
                             cudaMemcpyHostToDevice, device.stream()));
    BENCH_CU(cudaStreamSynchronize(device.stream()));
    const Graph graph = new_graph();
    Chain(graph.handle()).add(first, LaunchParams{config.dispatches});
    graphs->first = make_executable(graph, 0, device.stream(), "a graph whose kernel launches others");
  }
  bench::cuda::Body body;
  body.name = "graphs that a kernel launches";
  body.kernel = launch.kernel;
  body.enqueue = [graphs](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) {
    BENCH_CU(cudaGraphLaunch(graphs->first.handle(), streams[0]), "graphs that a kernel launches");
  };
  return device.prepare(std::move(body));
}
