// read_tma's arguments; no GLSL has them.
#pragma once

#include "cuda/tensor_map.h"
#include "params.h"

struct TmaParams {
  bench::cu::TensorMap map;  // first: a tensor map lies at a multiple of 64 bytes
  RingParams ring;
};
