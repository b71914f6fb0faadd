#include "cuda/device/backend.h"

#include <bit>

#include "core/base/environment.h"
#include "cuda/api/error.h"
#include "cuda/device/device.h"

namespace bench::cuda {
namespace {

// The first failure's code, or cudaSuccess with `info` filled in.
cudaError_t query(int index, DeviceInfo& info) {
  cudaDeviceProp properties{};
  int memory_khz = 0;
  int bus_bits = 0;
  int driver = 0;
  cudaError_t status = cudaGetDeviceProperties(&properties, index);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, index);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, index);
  if (status == cudaSuccess) status = cudaDriverGetVersion(&driver);
  if (status != cudaSuccess) return status;

  info.api = kApi;
  info.index = index;
  info.name = properties.name;
  static_assert(sizeof(properties.uuid) == sizeof(Uuid));
  info.uuid = std::bit_cast<Uuid>(properties.uuid);
  // CUDA's version of the interface, e.g. 13000: the runtime does not tell the driver's own, e.g. 580.159.04.
  info.driver = fmt::format("CUDA driver {}.{}", driver / 1000, driver % 1000 / 10);
  info.toolkit = cuda_toolkit();
  info.memory_bytes = properties.totalGlobalMem;
  info.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  // Two transfers a clock. H200: 2 * 3.201e9 Hz * 6016 bit / 8 = 4814.3e9 B/s.
  info.peak_gbps = 2.0 * (memory_khz * 1e3) * (bus_bits / 8.0) / 1e9;
  info.max_buffer_bytes = properties.totalGlobalMem;
  info.max_grid_x = static_cast<std::uint64_t>(properties.maxGridSize[0]);
  info.max_block_x = static_cast<std::uint32_t>(properties.maxThreadsDim[0]);
  info.subgroup_size = static_cast<std::uint32_t>(properties.warpSize);
  info.multiprocessors = static_cast<std::uint32_t>(properties.multiProcessorCount);
  info.resident_threads = static_cast<std::uint32_t>(properties.maxThreadsPerMultiProcessor);
  info.is_integrated = properties.integrated != 0;
  info.vendor_id = kNvidia;
  info.realtime_tick_ns = 1;  // %globaltimer counts nanoseconds (PTX ISA)
  info.arch = fmt::format("sm_{}{}", properties.major, properties.minor);
  return cudaSuccess;
}

class CudaBackend final : public Backend {
 public:
  Api api() const override { return kApi; }

  // Creates no context: a program that only lists devices starts fast and takes no GPU memory.
  DeviceListing list() override {
    DeviceListing listed;
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
    if (status != cudaSuccess) listed.reason = describe(status);
    for (int index = 0; status == cudaSuccess && index < count; ++index) {
      DeviceInfo info;
      const cudaError_t queried = query(index, info);
      if (queried == cudaSuccess) {
        listed.devices.push_back(std::move(info));
      } else {
        listed.reason = fmt::format("device {}: {}", index, describe(queried));
      }
    }
    static_cast<void>(cudaGetLastError());
    if (!listed.devices.empty()) listed.reason.clear();
    return listed;
  }

  std::unique_ptr<bench::Device> open(const DeviceInfo& info, const DeviceOptions&) override {
    return std::make_unique<Device>(info);
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace bench::cuda
