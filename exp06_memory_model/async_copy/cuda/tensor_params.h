// Arguments with tensor maps; no GLSL has them.
#pragma once

#include "cuda/memory/tensor_map.h"
#include "params.h"

// A tensor map comes first: it lies at a multiple of 64 bytes.
struct OverlapTensorParams {
  bench::cuda::TensorMap map;
  OverlapParams overlap;
};

struct CopyTensorParams {
  bench::cuda::TensorMap from;
  bench::cuda::TensorMap to;
  CopyParams copy;
};

struct TileTensorParams {
  bench::cuda::TensorMap map;
  TilePlace place;
};
