// A ring of tiles of a tensor; no GLSL has them.
#pragma once

#include "cuda/memory/tensor_map.h"
#include "tiles.h"

struct TmaParams {
  bench::cuda::TensorMap map;  // first: a tensor map lies at a multiple of 64 bytes
  RingParams ring;
};
