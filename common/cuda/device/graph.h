// Graphs that are made node by node.
// Source: CUDA C++ Programming Guide, "Creating a Graph Using Graph APIs".
#pragma once

#include <span>
#include <vector>

#include "cuda/device/subject.h"

namespace bench::cuda {

// Empty. Throws Error.
Graph new_graph();

// A launch's arguments as CUDA takes them: pointers to its buffers' addresses, then to its params struct, a copy. The buffers
// outlive it.
class Arguments {
 public:
  // Throws Error if a buffer is another API's.
  explicit Arguments(const Launch& launch);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  void** get() { return arguments_.data(); }

 private:
  std::vector<std::byte> params_;
  std::vector<void*> pointers_;
  std::vector<void*> arguments_;
};

// Adds the launch behind `after`, or as a root where that is null. Its arguments are copied. Throws Error.
cudaGraphNode_t add_kernel_node(cudaGraph_t graph, const Launch& launch, cudaGraphNode_t after);

// Source: CUDA C++ Programming Guide, "Conditional Graph Nodes".
// A condition of a node of this graph; it is `value` as each launch begins. Throws Error; Skip where the driver has none.
cudaGraphConditionalHandle make_condition(cudaGraph_t graph, std::uint32_t value);

struct ConditionalNode {
  cudaGraphNode_t node;
  std::span<cudaGraph_t> bodies;  // the node's own
};
// Adds a node with so many empty bodies, as add_kernel_node(). Throws likewise.
ConditionalNode add_conditional_node(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                     std::uint32_t bodies, cudaGraphNode_t after);

}  // namespace bench::cuda
