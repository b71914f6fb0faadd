// Of a build without CUDA.
#include "core/base/error.h"
#include "sides.h"

std::unique_ptr<TransferSide> cuda_transfers(bench::Device&) { throw bench::Skip("this build has no CUDA"); }
