// Of a build without CUDA.
#include "core/base/error.h"
#include "ways.h"

std::unique_ptr<Ways> cuda_ways(bench::Device&) { throw bench::Skip("this build has no CUDA"); }
