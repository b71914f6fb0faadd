// How this API introduces itself.
#pragma once

#include "core/device/device.h"

namespace bench::cuda {

inline constexpr Api kApi = {.csv = "cuda", .name = "CUDA", .order = 0, .submitted = "stream", .replayed = "graph"};

}  // namespace bench::cuda
