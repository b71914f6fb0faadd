// Vulkan's machine code in a CUDA launch.
#pragma once

#include "core/device.h"
#include "core/workbench.h"

// The code that the partner's driver makes of `vulkan`, as a CUDA kernel: in the place of `host`, whose own code only makes
// room for it. Throws Skip where the code is not to be had, or cannot run in a CUDA launch.
const bench::Kernel& vulkan_code(bench::Workbench& bench, const bench::KernelSpec& vulkan, bench::KernelSpec host);
