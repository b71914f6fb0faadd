// make_backend() of a build without CUDA, and what experiments call beside it.
#include "core/base/error.h"
#include "cuda/device/backend.h"
#include "cuda/memory/tensor_map.h"

namespace bench::cuda {
namespace {

constexpr const char* kReason =
    "this build has no CUDA: no CUDA toolkit with nvcc 12.8 or newer was found when it was configured; put nvcc on PATH or set "
    "CUDA_HOME, and configure again";

class UnavailableBackend final : public Backend {
 public:
  Api api() const override { return kApi; }
  DeviceListing list() override { return {{}, kReason}; }
  std::unique_ptr<Device> open(const DeviceInfo&, const DeviceOptions&) override { throw Skip(kReason); }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<UnavailableBackend>(); }

TensorMap tensor_map_2d(const bench::Buffer&, const Tensor2d&) { throw Skip(kReason); }

}  // namespace bench::cuda
