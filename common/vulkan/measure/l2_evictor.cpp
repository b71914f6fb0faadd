#include "vulkan/measure/l2_evictor.h"

#include <algorithm>

#include "core/device/kernel_images.h"
#include "vulkan/kernels/params.h"
#include "vulkan_support_kernels.h"

namespace bench::vulkan {
namespace {

constexpr std::uint64_t kVec4Bytes = 16;
constexpr std::uint32_t kReadsPerInvocation = 8;
// The buffer holds this one word everywhere, so an invocation's XOR over whole uvec4s is 0 and never this.
constexpr std::uint32_t kWord = 0x5eed5eed;

KernelSpec sweep_spec(const Context& context) {
  return {.images = &find_kernel(kernels::vulkan_support(), "evict_l2"),
          .entry = "evict_l2",
          .block_x = std::min(256U, context.info().max_block_x),
          .buffers = 2,
          .params_bytes = sizeof(EvictParams)};
}

// 8 reads an invocation: 120 MiB, twice an H200's L2, are 3840 workgroups of 256, 29 for each of its 132 SMs.
Launch sweep_launch(const Context& context, const ComputePipeline& kernel, const DeviceBuffer& buffer,
                    const DeviceBuffer& sink) {
  const std::uint64_t vec4_count = buffer.bytes() / kVec4Bytes;
  const std::uint64_t vec4_per_workgroup = std::uint64_t{kernel.spec().block_x} * kReadsPerInvocation;
  const std::uint64_t workgroups = (vec4_count + vec4_per_workgroup - 1) / vec4_per_workgroup;
  // A buffer is far smaller than the 64 GiB at which the count would leave 32 bits.
  const EvictParams params{.vec4_count = static_cast<std::uint32_t>(vec4_count), .impossible = kWord};
  const auto grid_x = static_cast<std::uint32_t>(std::min(workgroups, context.info().max_grid_x));
  return {.kernel = &kernel, .grid = {grid_x, 1, 1}, .buffers = {&buffer, &sink}, .params = params_bytes(params)};
}

}  // namespace

L2Evictor::L2Evictor(const Context& context, StagedCopies& copies, std::uint64_t bytes)
    : buffer_(context, (bytes + kVec4Bytes - 1) / kVec4Bytes * kVec4Bytes, "L2 evictor"),
      sink_(context, sizeof(std::uint32_t), "L2 evictor's sink"),
      kernel_(context, sweep_spec(context)),
      sweep_(context, sweep_launch(context, kernel_, buffer_, sink_)) {
  copies.fill(buffer_, 0, buffer_.bytes(), kWord);
}

void L2Evictor::record(const vk::raii::CommandBuffer& commands) const {
  sweep_.bind(commands);
  sweep_.record(commands);
}

}  // namespace bench::vulkan
