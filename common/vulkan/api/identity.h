// How this API introduces itself.
#pragma once

#include "core/device/device.h"

namespace bench::vulkan {

inline constexpr Api kApi = {
    .csv = "vulkan", .name = "Vulkan", .order = 1, .submitted = "rerecorded", .replayed = "prerecorded"};

}  // namespace bench::vulkan
