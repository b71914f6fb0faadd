#include "cuda/device/graph.h"

#include "cuda/memory/buffer.h"

namespace bench::cuda {
namespace {

void check_conditional(cudaError_t status) {
  if (status == cudaErrorNotSupported || status == cudaErrorCallRequiresNewerDriver) {
    static_cast<void>(cudaGetLastError());
    throw Skip("conditional graph nodes wanted; the driver says: {}", cudaGetErrorString(status));
  }
  BENCH_CU(status, "a conditional graph node");
}

}  // namespace

Graph new_graph() {
  cudaGraph_t raw = nullptr;
  BENCH_CU(cudaGraphCreate(&raw, 0));
  return Graph(raw);
}

Arguments::Arguments(const Launch& launch) : params_(launch.params) {
  pointers_.reserve(launch.buffers.size());
  for (const bench::Buffer* buffer : launch.buffers) {
    pointers_.push_back(own(*buffer).handle());
    arguments_.push_back(&pointers_.back());
  }
  arguments_.push_back(params_.data());
}

cudaGraphNode_t add_kernel_node(cudaGraph_t graph, const Launch& launch, cudaGraphNode_t after) {
  Arguments arguments(launch);
  const Kernel& kernel = cuda_kernel(*launch.kernel);
  cudaKernelNodeParams node{};
  node.func = kernel.handle();
  node.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
  node.blockDim = dim3(kernel.spec().block_x);
  node.kernelParams = arguments.get();
  cudaGraphNode_t added = nullptr;
  BENCH_CU(cudaGraphAddKernelNode(&added, graph, &after, after != nullptr ? 1 : 0, &node), "{}", kernel.spec().entry);
  return added;
}

cudaGraphConditionalHandle make_condition(cudaGraph_t graph, std::uint32_t value) {
  cudaGraphConditionalHandle handle = 0;
  check_conditional(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
  return handle;
}

ConditionalNode add_conditional_node(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                     std::uint32_t bodies, cudaGraphNode_t after) {
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = handle;
  node.conditional.type = type;
  node.conditional.size = bodies;
  cudaGraphNode_t added = nullptr;
  const std::size_t count = after != nullptr ? 1 : 0;
#if CUDART_VERSION >= 13000
  check_conditional(cudaGraphAddNode(&added, graph, &after, nullptr, count, &node));
#else
  check_conditional(cudaGraphAddNode(&added, graph, &after, count, &node));
#endif
  const std::span<cudaGraph_t> made(node.conditional.phGraph_out, node.conditional.phGraph_out != nullptr ? bodies : 0);
  for (cudaGraph_t body : made) {
    if (body == nullptr) throw Error("a conditional graph node was made without a body");
  }
  if (made.empty()) throw Error("a conditional graph node was made without bodies");
  return {added, made};
}

}  // namespace bench::cuda
