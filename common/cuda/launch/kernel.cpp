#include "cuda/launch/kernel.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/watchdog.h"
#include "core/code/machine_code.h"
#include "core/device/kernel_interface.h"
#include "cuda/api/driver.h"

namespace bench::cuda {
namespace {

const CudaImage* find_image(const KernelSpec& spec, ComputeCapability device) {
  if (spec.images == nullptr) throw Error("kernel {}: no images given", spec.entry);
  if (!spec.images->no_cuda.empty()) throw Skip("{}: {}", spec.images->stem, spec.images->no_cuda);
  const int since = spec.images->cuda_since;
  if (spec.images->cuda.empty() && since == 0) throw Skip("{}: no CUDA twin", spec.images->stem);
  if (device.major * 10 + device.minor < since) {
    throw Skip("{}: compute capability {}.{} or newer wanted, {}.{} found", spec.images->stem, since / 10, since % 10,
               device.major, device.minor);
  }
  const CudaImage* image = choose_image(spec.images->cuda, device.major, device.minor);
  if (image == nullptr) throw Skip("{}: {}", spec.images->stem, why_no_image(spec.images->cuda, device));
  return image;
}

constexpr double kLoadingS = 10;  // a compilation from PTX

Library load_library(const KernelSpec& spec, const CudaImage& image, ComputeCapability device) {
  const Deadline deadline("the loading of a kernel", kLoadingS, WaitFor::kDriver);
  cudaLibrary_t raw = nullptr;
  BENCH_CU(cudaLibraryLoadData(&raw, image.bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
           "the image {} of {}.cu on compute capability {}.{}", architectures({&image, 1}), spec.images->stem, device.major,
           device.minor);
  return Library(raw);
}

// The sizes of the kernel's parameters, in bytes; nullopt where the driver is older than CUDA 12.4 and cannot tell.
std::optional<std::vector<std::size_t>> parameter_sizes(cudaKernel_t kernel, const std::string& entry) {
  const auto info = find_driver_function<PFN_cuKernelGetParamInfo_v12040>("cuKernelGetParamInfo", 12040);
  if (info == nullptr) return std::nullopt;
  std::vector<std::size_t> sizes;
  for (;;) {
    std::size_t offset = 0;
    std::size_t size = 0;
    // The number of parameters is where it has no more of them. Source: CUDA Driver API, cuKernelGetParamInfo.
    const CUresult result = info(kernel, sizes.size(), &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return sizes;
    BENCH_CU(status_of(result), "parameter {} of {}", sizes.size(), entry);
    sizes.push_back(size);
  }
}

// A block gets more than 48 KiB only if the kernel is told so. Source: CUDA C++ Programming Guide, "Shared Memory" of 7.x.
void allow_shared(cudaKernel_t kernel, const cudaFuncAttributes& attributes, const KernelSpec& spec) {
  int device = 0;
  int most = 0;
  BENCH_CU(cudaGetDevice(&device));
  BENCH_CU(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (attributes.sharedSizeBytes + spec.shared_bytes > static_cast<std::size_t>(most)) {
    throw Skip("{}: {} + {} bytes of shared memory a block wanted, at most {} possible", spec.entry, attributes.sharedSizeBytes,
               spec.shared_bytes, most);
  }
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(spec.shared_bytes));
  if (status == cudaErrorInvalidValue) {  // seen with all of `most`
    cudaGetLastError();
    throw Skip("{}: {} bytes of shared memory a block wanted: refused, though the most is said to be {}", spec.entry,
               spec.shared_bytes, most);
  }
  BENCH_CU(status, "{} bytes for {}", spec.shared_bytes, spec.entry);
}

// Without it the driver leaves the division of an SM's memory as it is wherever a kernel fits. Source: CUDA C++ Programming
// Guide, "Shared Memory" of 7.x.
void prefer_l1(cudaKernel_t kernel, const std::string& entry) {
  BENCH_CU(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
           "the most L1 for {}", entry);
}

// Source: CUDA C++ Programming Guide, "Thread Block Clusters": so many on every device that has them, more by an opt-in.
constexpr std::uint32_t kPortableCluster = 8;

// A launch's configuration with the attributes it points to.
class Configuration {
 public:
  Configuration(const KernelSpec& spec, const std::array<std::uint32_t, 3>& grid, cudaStream_t stream) {
    config_.gridDim = dim3(grid[0], grid[1], grid[2]);
    config_.blockDim = dim3(spec.block_x, spec.block_y, spec.block_z);
    config_.dynamicSmemBytes = spec.shared_bytes;
    config_.stream = stream;
    if (spec.cuda.cluster_x == 0) return;
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim = {spec.cuda.cluster_x, 1, 1};
    config_.attrs = &cluster_;
    config_.numAttrs = 1;
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  const cudaLaunchConfig_t* get() const { return &config_; }

 private:
  cudaLaunchAttribute cluster_{};
  cudaLaunchConfig_t config_{};
};

void allow_non_portable(cudaKernel_t kernel, const KernelSpec& spec, bool allowed) {
  BENCH_CU(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, allowed ? 1 : 0), "{}", spec.entry);
}

// How many clusters run at once; a device may also refuse the size.
cudaError_t active_clusters(cudaKernel_t kernel, const KernelSpec& spec, int& active) {
  const Configuration config(spec, {spec.cuda.cluster_x, 1, 1}, nullptr);
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&active, kernel, config.get());
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status;
}

void allow_cluster(cudaKernel_t kernel, const KernelSpec& spec, ComputeCapability device) {
  if (device.major < 9) {
    throw Skip("{}: a cluster of {} blocks wants compute capability 9.0 or newer, {}.{} found", spec.entry, spec.cuda.cluster_x,
               device.major, device.minor);
  }
  if (spec.cuda.cluster_x > kPortableCluster) allow_non_portable(kernel, spec, true);
  int active = 0;
  const cudaError_t status = active_clusters(kernel, spec, active);
  if (status != cudaSuccess && is_sticky(status))
    BENCH_CU(status, "a cluster of {} blocks of {}", spec.cuda.cluster_x, spec.entry);
  if (status != cudaSuccess) throw Skip("{}: a cluster of {} blocks: {}", spec.entry, spec.cuda.cluster_x, describe(status));
  if (active == 0) {
    throw Skip("{}: no cluster of {} blocks of {} threads and {} bytes of shared memory fits this device", spec.entry,
               spec.cuda.cluster_x, spec.block_x, spec.shared_bytes);
  }
}

}  // namespace

std::string why_no_image(std::span<const CudaImage> images, ComputeCapability device) {
  const bool is_specific =
      !images.empty() && std::all_of(images.begin(), images.end(), [](const CudaImage& one) { return one.arch_specific; });
  if (is_specific) {
    return fmt::format("its instructions are those of {} alone; no kernel here has those of compute capability {}.{}",
                       architectures(images), device.major, device.minor);
  }
  return fmt::format("no code for compute capability {}.{}; this build has {} (add yours to BENCH_CUDA_ARCHS)", device.major,
                     device.minor, architectures(images));
}

std::string architecture(const CudaImage& image) {
  return fmt::format("{}{}{}{}", image.is_ptx ? "compute_" : "sm_", image.major, image.minor, image.arch_specific ? "a" : "");
}

std::string architectures(std::span<const CudaImage> images) {
  if (images.empty()) return "none";
  std::vector<std::string> names;
  for (const CudaImage& image : images) names.push_back((image.is_ptx ? "PTX " : "") + architecture(image));
  return fmt::format("{}", fmt::join(names, ", "));
}

Kernel::Kernel(const KernelSpec& spec, ComputeCapability device)
    : bench::Kernel(spec), image_(find_image(spec, device)), library_(load_library(spec, *image_, device)) {
  BENCH_CU(cudaLibraryGetKernel(&kernel_, library_.handle(), spec.entry.c_str()), "entry {} of {}.cu", spec.entry,
           spec.images->stem);
  const Deadline deadline("the loading of a kernel", kLoadingS, WaitFor::kDriver);
  // Besides the check: with lazy loading (the default since CUDA 12.2) this call brings the code onto the GPU now, not in the
  // first, perhaps timed, launch. Source: CUDA C++ Programming Guide, "Lazy Loading".
  cudaFuncAttributes attributes{};
  BENCH_CU(cudaFuncGetAttributes(&attributes, kernel_), "entry {} of {}.cu", spec.entry, spec.images->stem);
  if (const auto sizes = parameter_sizes(kernel_, spec.entry)) check_parameters(spec, *sizes);
  if (spec.block_threads() == 0 || static_cast<std::uint64_t>(attributes.maxThreadsPerBlock) < spec.block_threads()) {
    throw Skip("{}: {} threads a block wanted, at most {} possible with its {} registers a thread", spec.entry,
               spec.block_threads(), attributes.maxThreadsPerBlock, attributes.numRegs);
  }
  if (spec.shared_bytes != 0) allow_shared(kernel_, attributes, spec);
  if (spec.cuda.most_l1) prefer_l1(kernel_, spec.entry);
  if (spec.cuda.cluster_x != 0) allow_cluster(kernel_, spec, device);
}

void Kernel::launch(cudaStream_t stream, const std::array<std::uint32_t, 3>& grid, void** args) const {
  const Configuration config(spec(), grid, stream);
  BENCH_CU(cudaLaunchKernelExC(config.get(), kernel_, args), "{} with grid {} x {} x {}, block {} x {} x {}, clusters of {}",
           spec().entry, grid[0], grid[1], grid[2], spec().block_x, spec().block_y, spec().block_z, spec().cuda.cluster_x);
}

ClusterLimits Kernel::cluster_limits() const {
  if (spec().cuda.cluster_x == 0) return {};
  const auto largest = [this](bool non_portable) {
    // Of a launch in clusters of one: the question is refused where the kernel's own size is not allowed.
    KernelSpec alone = spec();
    alone.cuda.cluster_x = 1;
    const Configuration config(alone, {1, 1, 1}, nullptr);
    int blocks = 0;
    allow_non_portable(kernel_, spec(), non_portable);
    if (cudaOccupancyMaxPotentialClusterSize(&blocks, kernel_, config.get()) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return 0U;  // not known
    }
    return static_cast<std::uint32_t>(blocks);
  };
  ClusterLimits limits;
  limits.largest_portable = largest(false);
  limits.largest = largest(true);
  int active = 0;
  BENCH_CU(active_clusters(kernel_, spec(), active), "{}", spec().entry);
  limits.active = static_cast<std::uint32_t>(active);
  allow_non_portable(kernel_, spec(), spec().cuda.cluster_x > kPortableCluster);
  return limits;
}

KernelCode Kernel::code() const {
  KernelCode result;
  if (!image_->is_ptx) result.arch = architecture(*image_);
  const std::span<const CudaImage> images = spec().images->cuda;
  const auto ptx = std::find_if(images.begin(), images.end(), [](const CudaImage& image) { return image.is_ptx; });
  if (ptx != images.end()) result.source = ptx->bytes;
  result.source_type = "ptx";

  cudaFuncAttributes attributes{};
  BENCH_CU(cudaFuncGetAttributes(&attributes, kernel_), "entry {} of {}.cu", spec().entry, spec().images->stem);
  result.statistics = {{"numRegs", attributes.numRegs},
                       {"localSizeBytes", static_cast<double>(attributes.localSizeBytes)},
                       {"sharedSizeBytes", static_cast<double>(attributes.sharedSizeBytes)},
                       {"constSizeBytes", static_cast<double>(attributes.constSizeBytes)},
                       {"maxThreadsPerBlock", attributes.maxThreadsPerBlock}};

  if (image_->is_ptx) {
    result.reason = fmt::format(
        "the driver compiled it from PTX and does not give out the result; this build has {} (add this GPU's "
        "architecture to BENCH_CUDA_ARCHS)",
        architectures(images));
    return result;
  }
  take_cubin(image_->bytes, spec().entry, result);
  return result;
}

}  // namespace bench::cuda
