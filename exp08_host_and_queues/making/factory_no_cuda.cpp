// Of a build without CUDA.
#include "core/base/error.h"
#include "factory.h"

std::unique_ptr<Factory> cuda_factory(bench::Device&) { throw bench::Skip("this build has no CUDA"); }
