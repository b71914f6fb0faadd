// Kernels are data: looking up what the build embedded.
#pragma once

#include "core/device.h"

namespace bench {

// The twin with this stem. Throws Error that lists the stems there are.
const KernelImages& find_kernel(std::span<const KernelImages> images, std::string_view stem);

}  // namespace bench
