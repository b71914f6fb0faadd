// A kernel loaded from the embedded image that fits the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "core/device/offers.h"
#include "cuda/api/handle.h"

namespace bench::cuda {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

// "sm_90a" or, for PTX, "compute_80".
std::string architecture(const CudaImage& image);
// "sm_80, sm_90a, PTX compute_80": the images of one kernel, for messages; "none" if there are none.
std::string architectures(std::span<const CudaImage> images);

// Why none of them runs on such a device: the build leaves its architecture out, or they have another one's own instructions.
std::string why_no_image(std::span<const CudaImage> images, ComputeCapability device);

class Kernel final : public bench::Kernel, public Clusters {
 public:
  // Loads the code onto the current device. Throws Skip if there is no CUDA twin, no image for the device, or if the kernel
  // cannot run with spec.block_threads() threads a block or spec.cuda.cluster_x blocks a cluster; Error if the image lacks
  // spec.entry.
  Kernel(const KernelSpec& spec, ComputeCapability device);

  cudaKernel_t handle() const noexcept { return kernel_; }
  // The code from the cubin that was loaded. None, with a reason, where the driver compiled PTX.
  KernelCode code() const override;
  std::string_view toolkit() const override { return spec().images->cuda_by; }
  // Source: cudaOccupancyMaxActiveClusters, cudaOccupancyMaxPotentialClusterSize. All 0 without clusters.
  ClusterLimits cluster_limits() const override;

  // args: one pointer to each argument, in order. Asynchronous. Throws Error.
  void launch(cudaStream_t stream, const std::array<std::uint32_t, 3>& grid, void** args) const;

 private:
  const CudaImage* image_;
  Library library_;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace bench::cuda
