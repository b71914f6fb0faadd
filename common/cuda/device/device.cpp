#include "cuda/device/device.h"

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"
#include "cuda/device/backend.h"
#include "cuda/memory/buffer.h"
#ifdef BENCH_HAVE_CUPTI
#include "cuda/counters/pm_sampler.h"
#endif
#include "cuda_support_kernels.h"

namespace bench::cuda {
namespace {

constexpr double kLowBytesPerS = 10e9;  // a tenth of a slow GPU's memory
constexpr double kOpeningS = 10;

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

bool can_access(int device, int memory_of) {
  int can = 0;
  BENCH_CU(cudaDeviceCanAccessPeer(&can, device, memory_of), "device {} to device {}", device, memory_of);
  return can != 0;
}

void enable_access(int device, int memory_of) {
  const CurrentDevice current(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(memory_of, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  BENCH_CU(status, "device {} to device {}", device, memory_of);
}

// The first device that reaches this one's memory and is reached, or why there is none.
std::pair<std::optional<DeviceInfo>, std::string> find_peer(const DeviceInfo& mine) {
  std::string reasons;
  const DeviceListing listed = make_backend()->list();
  for (const DeviceInfo& other : listed.devices) {
    if (other.index == mine.index) continue;
    std::string unmet = unmet_requirements(other.name, capability(other.index));
    if (unmet.empty() && !(can_access(mine.index, other.index) && can_access(other.index, mine.index))) {
      unmet = "no peer access in both directions (cudaDeviceCanAccessPeer)";
    }
    if (unmet.empty()) return {other, ""};
    reasons += fmt::format("{}device {} ({}): {}", reasons.empty() ? "" : "; ", other.index, other.name, unmet);
  }
  if (reasons.empty()) reasons = fmt::format("CUDA shows device {} ({}) alone", mine.index, mine.name);
  return {std::nullopt, "a second GPU wanted, with peer access: " + reasons};
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

Device& cuda_device(bench::Device& device) {
  auto* ours = dynamic_cast<Device*>(&device);
  if (ours == nullptr) throw Error("{} is no CUDA device", device.info().name);
  return *ours;
}

Device::Device(const DeviceInfo& info)
    : info_(info),
      capability_(open(info)),
      stream_(make_stream()),
      gate_(capability_),
      // The runtime API sets bytes only.
      memset_d32_(driver_function<PFN_cuMemsetD32Async_v3020>("cuMemsetD32Async", 3020)),
      data_kernels_(*this, kernels::cuda_support()) {}

std::unique_ptr<bench::Buffer> Device::allocate(std::uint64_t bytes, std::string_view label) {
  const CurrentDevice current(handle());
  return std::make_unique<Buffer>(bytes, label);
}

std::unique_ptr<bench::Buffer> Device::allocate_shareable(std::uint64_t bytes, std::string_view label) {
  const CurrentDevice current(handle());
  return std::make_unique<Buffer>(std::make_unique<ShareableMemory>(handle(), bytes, label), bytes, label);
}

ExportedMemory Device::export_memory(const bench::Buffer& shareable) { return cuda::own(shareable).export_memory(); }

std::unique_ptr<bench::Buffer> Device::import_memory(ExportedMemory memory, std::string_view label) {
  const CurrentDevice current(handle());
  return std::make_unique<Buffer>(std::move(memory), label);
}

void Device::write(bench::Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) {
  const CurrentDevice current(handle());
  const Buffer& buffer = cuda::own(to);
  buffer.check_words(offset, bytes);
  copies_.write(stream(), buffer.at(offset), bytes, produce);
}

void Device::read(const bench::Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) {
  const CurrentDevice current(handle());
  const Buffer& buffer = cuda::own(from);
  buffer.check_words(offset, bytes);
  copies_.read(stream(), buffer.at(offset), bytes, consume);
}

void Device::fill(bench::Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) {
  const CurrentDevice current(handle());
  const Buffer& buffer = cuda::own(to);
  buffer.check_words(offset, bytes);
  if (bytes == 0) return;
  const Deadline deadline("a fill", static_cast<double>(bytes) / kLowBytesPerS);
  BENCH_CU(status_of(memset_d32_(reinterpret_cast<CUdeviceptr>(buffer.at(offset)), word, bytes / 4, stream())),
           "{} bytes of buffer '{}'", bytes, buffer.label());
  BENCH_CU(cudaStreamSynchronize(stream()));
}

void Device::fill_random(bench::Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) {
  data_kernels_.fill_random(to, first, words, key);
}

Checksum Device::checksum(const bench::Buffer& from, std::uint64_t words) { return data_kernels_.checksum(from, words); }

std::unique_ptr<bench::Kernel> Device::load(const KernelSpec& spec) {
  const CurrentDevice current(handle());
  if (spec.images == nullptr) throw Skip("kernel {} is not written for CUDA", spec.entry);
  KernelSpec ours = spec;
  ours.vulkan = {};
  return std::make_unique<Kernel>(std::move(ours), capability_);
}

void Device::run(const Work& work) { run(Command(work)); }

void Device::run(const StreamCall& call) { run(Command(call)); }

void Device::run(Command command) {
  const CurrentDevice current(handle());
  const Deadline deadline(command.name());
  command.enqueue(stream());
  timer_.stop(stream());
  timer_.wait(command.name());
}

void Device::start(const Work& work) {
  const CurrentDevice current(handle());
  Command command(work);
  const Deadline deadline(command.name());
  timer_.start(stream());
  command.enqueue(stream());
  timer_.stop(stream());
  started_ = command.name();
}

double Device::finish() {
  const CurrentDevice current(handle());
  const Deadline deadline(started_);
  timer_.wait(started_);
  return timer_.elapsed_ns();
}

bench::Device& Device::peer() {
  if (!peer_ && no_peer_.empty()) {
    const Deadline deadline("opening the peer", kOpeningS, WaitFor::kDriver);
    const CurrentDevice current(handle());
    const auto [found, reason] = find_peer(info_);
    no_peer_ = reason;
    if (found) {
      auto peer = std::make_unique<Device>(*found);
      enable_access(found->index, handle());
      enable_access(handle(), found->index);
      peer_ = std::move(peer);
    }
  }
  if (!peer_) throw Skip("{}", no_peer_);
  return *peer_;
}

std::unique_ptr<bench::Subject> Device::prepare(const Work& work, const SubjectOptions& options) {
  return prepare(body_of(work, options));
}

std::unique_ptr<bench::Subject> Device::prepare(const StreamCall& call, const SubjectOptions& options) {
  return prepare(body_of(call, options));
}

std::unique_ptr<bench::Subject> Device::prepare(Body body) { return std::make_unique<Subject>(*this, std::move(body)); }

void Device::set_evict_bytes(std::uint64_t bytes) {
  const CurrentDevice current(handle());
  const auto multiprocessors = static_cast<std::uint32_t>(attribute(cudaDevAttrMultiProcessorCount, handle()));
  evictor_.emplace(bytes, multiprocessors, capability_);
  fill(evictor_->buffer(), 0, evictor_->buffer().bytes(), L2Evictor::kFill);
}

void Device::evict_l2() {
  const CurrentDevice current(handle());
  const Deadline deadline("an eviction of the L2");
  evictor().enqueue(stream());
  BENCH_CU(cudaStreamSynchronize(stream()));
}

void Device::set_l2_fetch_bytes(std::uint32_t bytes) {
  if (bytes == 0 && !own_l2_fetch_bytes_) return;
  const Deadline deadline("a limit of the device");
  const auto limit = [] {
    std::size_t value = 0;
    BENCH_CU(cudaDeviceGetLimit(&value, cudaLimitMaxL2FetchGranularity));
    return value;
  };
  if (!own_l2_fetch_bytes_) own_l2_fetch_bytes_ = limit();
  const std::size_t wanted = bytes == 0 ? *own_l2_fetch_bytes_ : bytes;
  BENCH_CU(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, wanted), "{} bytes", wanted);
  const std::size_t found = limit();
  if (found != wanted) throw Skip("an L2 that fetches {} bytes at a time wanted, the device sets {}", wanted, found);
}

std::unique_ptr<DeviceCounters> Device::counters() {
#ifdef BENCH_HAVE_CUPTI
  const Deadline deadline("opening the counters", kOpeningS, WaitFor::kDriver);
  const CurrentDevice current(handle());
  try {
    return std::make_unique<PmSampler>(handle());
  } catch (const Error& error) {
    throw Skip("{}", error.what());
  }
#else
  throw Skip("this build has no CUPTI: its headers (the CUDA toolkit's package cuda-cupti-dev) were not found");
#endif
}

// NVTX finds its tool by itself: without one it does nothing.
std::unique_ptr<ProfiledRange> Device::profile(std::string_view name) {
  BENCH_CU(cudaProfilerStart());
  nvtxRangePushA(std::string(name).c_str());
  return std::make_unique<ProfiledRange>([] {
    nvtxRangePop();
    static_cast<void>(cudaProfilerStop());
  });
}

const L2Evictor& Device::evictor() const {
  if (!evictor_) throw Error("an L2 eviction was asked for before set_evict_bytes");
  return *evictor_;
}

}  // namespace bench::cuda
