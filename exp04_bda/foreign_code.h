// One API's machine code in the other's launch.
#pragma once

#include "core/device/device.h"
#include "core/experiment/workbench.h"

// The code that the partner's driver makes of its part of `both`, as a CUDA kernel: in the place of this device's part, whose
// own code only makes room for it. Throws Skip where the code is not to be had, or cannot run in a CUDA launch.
const bench::Kernel& vulkan_code(bench::Workbench& bench, const bench::KernelSpec& both);

// The very cubin that the partner launches as its part of `both`, as a Vulkan kernel (VK_NVX_binary_import). Throws Skip where
// it is not to be had, or Vulkan cannot launch it.
const bench::Kernel& cuda_code(bench::Workbench& bench, const bench::KernelSpec& both);
