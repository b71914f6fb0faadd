#include "cuda/measure/profiled_range.h"

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include <string>

#include "cuda/api/error.h"

namespace bench::cuda {
namespace {

class NvtxRange final : public ProfiledRange {
 public:
  explicit NvtxRange(const std::string& name) {
    BENCH_CU(cudaProfilerStart());
    nvtxRangePushA(name.c_str());
  }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange() noexcept override {
    nvtxRangePop();
    static_cast<void>(cudaProfilerStop());
  }
};

}  // namespace

std::unique_ptr<ProfiledRange> make_profiled_range(std::string_view name) {
  return std::make_unique<NvtxRange>(std::string(name));
}

}  // namespace bench::cuda
