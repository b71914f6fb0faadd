#include "cuda/device/graph.h"

#include "cuda/memory/buffer.h"

namespace bench::cuda {

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

}  // namespace bench::cuda
