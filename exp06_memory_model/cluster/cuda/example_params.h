// example_multicast's arguments.
#pragma once

#include "cuda/memory/tensor_map.h"

struct ExampleParams {
  bench::cuda::TensorMap map;
};
