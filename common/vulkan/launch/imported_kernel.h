// CUDA's machine code as a Vulkan kernel (VK_NVX_binary_import): the cubin that a CUDA launch runs, in a Vulkan command buffer.
//
// The extension has no specification text. Its structures mirror cuModuleLoadData and cuLaunchKernel, and Mesa's NVK reads them
// so: pParams[i] points to the bytes of parameter i (src/nouveau/vulkan, vkCmdCuLaunchKernelNVX).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/environment.h"
#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

// What a kernel of KernelSpec's kind takes, as the extension wants it: a pointer to each buffer's address, in order, and, where
// there are any, one to the bytes of the params struct. They point into both.
std::vector<const void*> imported_arguments(const std::vector<std::uint64_t>& addresses, const std::vector<std::byte>& params);

class ImportedKernel final : public Kernel {
 public:
  // Throws Skip if the device lacks the extension, Error if `spec` has not one cubin with the entry.
  ImportedKernel(const Context& context, const KernelSpec& spec);

  // The cubin's.
  KernelCode code() const override;
  std::string_view toolkit() const override { return cuda_toolkit(); }
  // Asynchronous. Nothing has to be bound.
  void launch(const vk::raii::CommandBuffer& commands, const std::array<std::uint32_t, 3>& grid,
              const std::vector<const void*>& arguments) const;

 private:
  vk::raii::CuModuleNVX module_;
  vk::raii::CuFunctionNVX function_;
};

}  // namespace bench::vulkan
