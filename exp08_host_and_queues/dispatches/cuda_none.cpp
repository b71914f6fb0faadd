// A build without CUDA has no CUDA device that could ask for this.
#include "core/base/error.h"
#include "sides.h"

Dispatches cuda_side(bench::Workbench&, const Config&, const bench::Launch&, const WorkParams&) {
  throw bench::Skip("this build has no CUDA");
}

std::unique_ptr<bench::Subject> cuda_decided(bench::Workbench&, const Config&, const Decided&) {
  throw bench::Skip("this build has no CUDA");
}
