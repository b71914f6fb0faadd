// Launches of one stream that overlap.
// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization".
#pragma once

#include <array>
#include <cstdint>

#include "cuda/launch/kernel.h"

namespace bench::cuda {

// As Kernel::launch, but may begin once all blocks of the launch before in the stream have executed
// griddepcontrol.launch_dependents or ended. Captured, it is a graph's programmatic edge. Throws Error.
void launch_programmatic(const Kernel& kernel, cudaStream_t stream, const std::array<std::uint32_t, 3>& grid, void** args);

}  // namespace bench::cuda
