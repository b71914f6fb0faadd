// Of a build without CUDA.
#include "core/base/error.h"
#include "lanes.h"

std::unique_ptr<Lanes> cuda_lanes(bench::Device&, bool) { throw bench::Skip("this build has no CUDA"); }
