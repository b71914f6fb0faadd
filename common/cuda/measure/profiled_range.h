// What profilers see of one case.
#pragma once

#include <memory>
#include <string_view>

#include "core/device/device.h"

namespace bench::cuda {

// Starts the profilers' capture (cudaProfilerStart) and opens an NVTX range of this name on the calling thread; ends both when
// it goes. NVTX finds its tool by itself: without one it does nothing.
std::unique_ptr<ProfiledRange> make_profiled_range(std::string_view name);

}  // namespace bench::cuda
