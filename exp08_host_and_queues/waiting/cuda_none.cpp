// A build without CUDA has no CUDA device that could ask for this.
#include "core/base/error.h"
#include "sides.h"

std::unique_ptr<Waiter> cuda_waiter(bench::Workbench&, WaitMethod, const bench::Launch&, const TaskParams&) {
  throw bench::Skip("this build has no CUDA");
}
