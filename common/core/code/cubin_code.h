// What is known of a kernel's machine code from the cubin that it was loaded from, by whichever API.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/device/device.h"

namespace bench {

// Sets code.code and code.container, or code.reason if the cubin has no instructions of `entry`.
void take_cubin(std::span<const std::byte> cubin, const std::string& entry, KernelCode& code);

}  // namespace bench
