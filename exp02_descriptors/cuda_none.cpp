// A build without CUDA has no CUDA device that could ask for this.
#include "chain.h"
#include "core/base/error.h"

std::unique_ptr<bench::Subject> cuda_chain(bench::Device&, const Chain&, bench::SubmitMode) {
  throw bench::Skip("this build has no CUDA");
}
