// make_backend() of a build without CUDA, and what experiments call beside it.
#include "core/base/error.h"
#include "cuda/device/backend.h"
#include "cuda/memory/tensor_map.h"

namespace bench::cuda {
namespace {

class UnavailableBackend final : public Backend {
 public:
  Api api() const override { return Api::kCuda; }
  std::vector<DeviceInfo> list() override { return {}; }
  std::string unavailable_reason() override {
    return "this build has no CUDA: no CUDA toolkit with nvcc 12.8 or newer was found when it was configured; put nvcc on PATH "
           "or set CUDA_HOME, and configure again";
  }
  std::unique_ptr<Device> open(const DeviceInfo&, const DeviceOptions&) override { throw Skip(unavailable_reason()); }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<UnavailableBackend>(); }

TensorMap tensor_map_2d(const bench::Buffer&, const Tensor2d&) { throw Skip(UnavailableBackend().unavailable_reason()); }

}  // namespace bench::cuda
