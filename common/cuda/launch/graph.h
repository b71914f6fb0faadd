// A command repeated in a CUDA graph.
#pragma once

#include <cstdint>

#include "cuda/api/handle.h"
#include "cuda/launch/command.h"

namespace bench::cuda {

// `batch` times the command, one after the other, captured from the stream, instantiated and uploaded to the GPU: launching it
// is one call and sets nothing up. Throws Error.
GraphExec make_graph(Command& command, std::uint32_t batch, cudaStream_t stream);

}  // namespace bench::cuda
