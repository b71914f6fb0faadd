// Where and from what a run was made: every CSV row names it.
#pragma once

#include <string>
#include <string_view>

namespace bench {

// The commit the program was built from, with "-dirty" if the tree had uncommitted changes; "unknown" outside a checkout.
std::string_view git_revision();
// "CUDA 13.0.88", or "" in a Vulkan-only build.
std::string_view cuda_toolkit();
// "glslang 12.0.0".
std::string_view glsl_toolkit();

// UTC, ISO 8601, seconds: 2026-01-31T23:59:59Z.
std::string utc_now();

// A device's name as a folder: "NVIDIA H200" -> "nvidia-h200"; what stands in parentheses (versions) is left out.
std::string slug(std::string_view device_name);

}  // namespace bench
