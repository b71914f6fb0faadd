// A build without CUDA has no CUDA device that could ask for this.
#include "core/base/error.h"
#include "sides.h"

std::unique_ptr<bench::Subject> cuda_side(bench::Workbench&, const Config&, const bench::Launch&) {
  throw bench::Skip("this build has no CUDA");
}
