// What a Vulkan device must have, decided over plain data: testable without a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace bench::vulkan {

struct QueueFamilyFacts {
  bool compute = false;   // VK_QUEUE_COMPUTE_BIT
  bool graphics = false;  // VK_QUEUE_GRAPHICS_BIT
  bool transfer = false;  // VK_QUEUE_TRANSFER_BIT
  std::uint32_t queues = 1;
  bool sparse_binding = false;             // VK_QUEUE_SPARSE_BINDING_BIT
  std::uint32_t timestamp_valid_bits = 0;  // 0: no timestamps
};

// Whether the family's timestamps can be believed: 36 to 64 valid bits (Vulkan 1.3, VkQueueFamilyProperties).
bool has_timestamps(const QueueFamilyFacts& family);

// What a device is opened for. Listings want its compiler alone: no memory, no clock, and no queue that does anything.
enum class Purpose : std::uint8_t { kRunning, kListings };

struct DeviceFacts {
  std::uint32_t api_major = 0;
  std::uint32_t api_minor = 0;
  std::vector<QueueFamilyFacts> queue_families;
  float timestamp_period = 0;  // ns per tick
  std::uint32_t memory_types = 0;
  bool synchronization2 = false;
  bool timeline_semaphore = false;
  bool maintenance4 = false;
  bool subgroup_size_control = false;
  bool buffer_device_address = false;
  bool scalar_block_layout = false;
  bool subgroup_arithmetic_in_compute = false;
};

// The first family with compute and timestamps and without graphics; else the first with compute and timestamps. CUDA's work
// does not go through the graphics engine either, and on an H200 (driver 580) that engine starts workgroups up to 14 % slower.
// For QueueKind::kGraphics: the first with graphics, compute and timestamps, unless that is the one above.
std::optional<std::uint32_t> choose_queue_family(const DeviceFacts& facts, QueueKind kind = QueueKind::kCompute);

// The first family with compute, for kListings.
std::optional<std::uint32_t> any_compute_family(const DeviceFacts& facts);

// The choice as far as it decides what kernels are compiled to: one queue, and no memory but the usual.
VulkanChoice of_the_compiler(VulkanChoice choice);

// The queues of a device, by families: the compute queues first.
struct QueuePlan {
  std::uint32_t compute_family = 0;
  std::uint32_t compute_queues = 1;
  std::optional<std::uint32_t> transfer_family = {};  // with transfers, and neither compute nor graphics
  std::optional<std::uint32_t> graphics_family = {};  // with graphics, not the compute queues' own
  std::string missing = {};                           // what of the choice the device lacks; empty: nothing
};
QueuePlan plan_queues(const DeviceFacts& facts, std::uint32_t compute_family, const VulkanChoice& choice);

// The subgroup size that kernels are compiled for, given VkPhysicalDeviceSubgroupProperties and the range of
// VkPhysicalDeviceSubgroupSizeControlProperties: 32, as CUDA's warps, where a pipeline may ask for it, or else the driver's
// own. AMD's driver has 64 as its own and 32 in its range.
std::uint32_t choose_subgroup_size(std::uint32_t standard, std::uint32_t least, std::uint32_t most, bool may_ask);

// Every requirement the device misses, as "X (found Y)"; empty if it will do.
std::vector<std::string> unmet_requirements(const DeviceFacts& facts, Purpose purpose = Purpose::kRunning);

}  // namespace bench::vulkan
