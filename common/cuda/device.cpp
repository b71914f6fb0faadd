#include "cuda/device.h"

#include "cuda/buffer.h"
#include "cuda/command.h"
#include "cuda/subject.h"

namespace bench::cu {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  BENCH_CU(cudaDeviceGetAttribute(&value, which, device), "attribute {} of device {}", static_cast<int>(which), device);
  return value;
}

ComputeCapability capability(int device) {
  return {attribute(cudaDevAttrComputeCapabilityMajor, device), attribute(cudaDevAttrComputeCapabilityMinor, device)};
}

// Checks the device, then creates its context.
ComputeCapability open(const DeviceInfo& info) {
  const ComputeCapability found = capability(info.index);
  const std::string unmet = unmet_requirements(info.name, found);
  if (!unmet.empty()) throw Skip("CUDA device {} ({}): {}", info.index, info.name, unmet);
  // The flags go in with the context's creation: since CUDA 12.0 cudaSetDevice creates it. Spinning: a host thread that sleeps
  // in a wait wakes late.
  BENCH_CU(cudaInitDevice(info.index, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid), "device {} ({})", info.index,
           info.name);
  BENCH_CU(cudaSetDevice(info.index), "device {} ({})", info.index, info.name);
  return found;
}

// The runtime API sets bytes only; 32-bit patterns are the driver API's.
PFN_cuMemsetD32Async_v3020 find_memset_d32() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  BENCH_CU(cudaGetDriverEntryPointByVersion("cuMemsetD32Async", &function, 3020, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess) throw Error("the CUDA driver lacks cuMemsetD32Async");
  return reinterpret_cast<PFN_cuMemsetD32Async_v3020>(function);
}

void check_words(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
  buffer.check_range(offset, bytes);
  if (offset % 4 != 0 || bytes % 4 != 0) {
    throw Error("buffer '{}': offset {} and size {} must be multiples of 4", buffer.label(), offset, bytes);
  }
}

}  // namespace

std::string unmet_requirements(std::string_view device_name, ComputeCapability device) {
  std::string unmet;
  if (device.major < 7) {
    unmet = fmt::format("compute capability 7.0 or newer wanted, {}.{} found", device.major, device.minor);
  }
  // The runtime shows an instance as a device named e.g. "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
  if (device_name.find(" MIG ") != std::string_view::npos) {
    unmet +=
        fmt::format("{}a whole GPU wanted, a MIG instance found (Vulkan cannot use one, and its L2 and bandwidth are a slice)",
                    unmet.empty() ? "" : "; ");
  }
  return unmet;
}

Device::Device(const DeviceInfo& info)
    : info_(info), capability_(open(info)), stream_(make_stream()), gate_(capability_), memset_d32_(find_memset_d32()) {}

std::unique_ptr<bench::Buffer> Device::allocate(std::uint64_t bytes, std::string_view label) {
  return std::make_unique<Buffer>(bytes, label);
}

std::unique_ptr<bench::Buffer> Device::import_memory(ExportedMemory memory, std::string_view label) {
  return std::make_unique<Buffer>(std::move(memory), label);
}

void Device::write(bench::Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) {
  const Buffer& buffer = own(to);
  check_words(buffer, offset, bytes);
  staging_.write(stream(), buffer.at(offset), bytes, produce);
}

void Device::read(const bench::Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) {
  const Buffer& buffer = own(from);
  check_words(buffer, offset, bytes);
  staging_.read(stream(), buffer.at(offset), bytes, consume);
}

void Device::fill(bench::Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) {
  const Buffer& buffer = own(to);
  check_words(buffer, offset, bytes);
  if (bytes == 0) return;
  // CUresult and cudaError_t share their numbers (CUDA Driver API, CUresult), so one check serves both.
  BENCH_CU(static_cast<cudaError_t>(memset_d32_(reinterpret_cast<CUdeviceptr>(buffer.at(offset)), word, bytes / 4, stream())),
           "{} bytes of buffer '{}'", bytes, buffer.label());
  BENCH_CU(cudaStreamSynchronize(stream()));
}

std::unique_ptr<bench::Kernel> Device::load(const KernelSpec& spec) { return std::make_unique<Kernel>(spec, capability_); }

void Device::run(const Work& work) {
  Command command(work);
  command.enqueue(stream());
  timer_.stop(stream());
  timer_.wait(command.name());
}

std::unique_ptr<bench::Subject> Device::prepare(const Work& work, const SubjectOptions& options) {
  return std::make_unique<Subject>(*this, work, options);
}

void Device::set_evict_bytes(std::uint64_t bytes) {
  const auto multiprocessors = static_cast<std::uint32_t>(attribute(cudaDevAttrMultiProcessorCount, handle()));
  evictor_.emplace(bytes, multiprocessors, capability_);
  fill(evictor_->buffer(), 0, evictor_->buffer().bytes(), L2Evictor::kFill);
}

const L2Evictor& Device::evictor() const {
  if (!evictor_) throw Error("an L2 eviction was asked for before set_evict_bytes");
  return *evictor_;
}

}  // namespace bench::cu
