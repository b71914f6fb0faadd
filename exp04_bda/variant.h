// A row of the experiment's table, and the kernels that it names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/checks.h"
#include "core/experiment/experiment.h"

// A twin: what its feature changes on either side, as the end of the CUDA entry's and of the GLSL file's name.
struct Variant {
  const char* base;
  const char* feature;
  const char* cuda;
  const char* glsl;
  std::vector<std::uint32_t> blocks;
  bench::Memory memory = bench::Memory::kOwn;
  bench::Checks checks = bench::Checks::kDefault;
  std::uint32_t shared_bytes = 0;  // of shared_u32's blocks
};

// As `cuda`: the entry is <stem>_code_host, and what runs in it is the machine code of the variant's Vulkan side.
inline constexpr const char* kVulkanCode = "_code_host";

// As `glsl`: Vulkan launches the machine code of the variant's CUDA side.
inline constexpr const char* kCudaCode = "_cuda_code";

// As `feature`: CUDA's blocks ask for so much shared memory that an SM holds one at a time. Where a block may not have as much,
// the row is skipped.
inline constexpr const char* kCudaOneSlot = "cuda_one_slot";
inline constexpr std::uint32_t kCudaOneSlotBytes = 120U << 10;

// As `feature`: Vulkan's queue is one with graphics.
inline constexpr const char* kGraphicsQueueFeature = "vulkan_graphics_queue";

// As `feature`: Vulkan's queue has another priority (VK_KHR_global_priority).
inline constexpr const char* kLowPriority = "vulkan_low_priority";
inline constexpr const char* kHighPriority = "vulkan_high_priority";

// As `feature`: a second Vulkan device of the GPU is open, and idle.
inline constexpr const char* kSecondDevice = "vulkan_second_device";

// `stem` with the variant's own ending on the workbench's side. GLSL files that end in _address... take addresses, the others
// descriptors. Throws Skip where the kernel cannot be had.
const bench::Kernel& kernel(bench::Workbench& bench, const Variant& variant, const std::string& stem, std::uint32_t block,
                            std::size_t buffers);

// Blocks that hold so many threads.
std::uint32_t blocks_for(std::uint64_t threads, std::uint32_t block);

// `lanes` threads of one block follow addresses (descriptors: indices) through a table of `nodes` of 8 bytes, a power of two.
std::unique_ptr<bench::Subject> set_up_chase(bench::Workbench& bench, const Variant& variant, std::uint32_t lanes,
                                             std::uint64_t nodes);

// `blocks` blocks fill variant.shared_bytes of shared memory each and store them.
std::unique_ptr<bench::Subject> set_up_shared_memory(bench::Workbench& bench, const Variant& variant, std::uint32_t block,
                                                     std::uint32_t blocks);
