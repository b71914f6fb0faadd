// The Vulkan side of bench::Backend. The only header here that most programs need.
#pragma once

#include <memory>

#include "core/device/device.h"
#include "vulkan/api/identity.h"

namespace bench::vulkan {

// Never throws: without a loader, a driver or a device, list() has none and says what to install.
std::unique_ptr<Backend> make_backend();

}  // namespace bench::vulkan
