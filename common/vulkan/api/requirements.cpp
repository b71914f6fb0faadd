#include "vulkan/api/requirements.h"

#include <fmt/format.h>

#include <cmath>

namespace bench::vulkan {

namespace {

std::optional<std::uint32_t> first_family(const DeviceFacts& facts, bool graphics) {
  for (std::uint32_t i = 0; i < facts.queue_families.size(); ++i) {
    const QueueFamilyFacts& family = facts.queue_families[i];
    if (family.compute && has_timestamps(family) && family.graphics == graphics) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

bool has_timestamps(const QueueFamilyFacts& family) {
  return family.timestamp_valid_bits >= 36 && family.timestamp_valid_bits <= 64;
}

std::uint32_t choose_subgroup_size(std::uint32_t standard, std::uint32_t least, std::uint32_t most, bool may_ask) {
  constexpr std::uint32_t kWarp = 32;
  return may_ask && least <= kWarp && kWarp <= most ? kWarp : standard;
}

std::optional<std::uint32_t> choose_queue_family(const DeviceFacts& facts, QueueKind kind) {
  const auto without_graphics = first_family(facts, false);
  const auto with_graphics = first_family(facts, true);
  if (kind == QueueKind::kGraphics) {
    return without_graphics ? with_graphics : std::nullopt;
  }
  return without_graphics ? without_graphics : with_graphics;
}

std::optional<std::uint32_t> any_compute_family(const DeviceFacts& facts) {
  for (std::uint32_t i = 0; i < facts.queue_families.size(); ++i) {
    if (facts.queue_families[i].compute) return i;
  }
  return std::nullopt;
}

VulkanChoice of_the_compiler(VulkanChoice choice) {
  const VulkanChoice usual;
  choice.queue = usual.queue;
  choice.priority = usual.priority;
  choice.sparse_binding = usual.sparse_binding;
  choice.companion = usual.companion;
  choice.compute_queues = usual.compute_queues;
  choice.transfer_queue = usual.transfer_queue;
  choice.graphics_queue = usual.graphics_queue;
  choice.timeline = usual.timeline;
  choice.ranked_queues = usual.ranked_queues;
  return choice;
}

QueuePlan plan_queues(const DeviceFacts& facts, std::uint32_t compute_family, const VulkanChoice& choice) {
  QueuePlan plan{.compute_family = compute_family, .compute_queues = choice.compute_queues};
  for (std::uint32_t i = 0; i < facts.queue_families.size(); ++i) {
    const QueueFamilyFacts& family = facts.queue_families[i];
    if (!plan.transfer_family && family.transfer && !family.compute && !family.graphics) plan.transfer_family = i;
    if (!plan.graphics_family && family.graphics && i != compute_family) plan.graphics_family = i;
  }
  const std::uint32_t queues = facts.queue_families[compute_family].queues;
  if (queues < choice.compute_queues) {
    plan.missing = fmt::format("{} queues of its compute family (found {})", choice.compute_queues, queues);
  } else if (choice.transfer_queue && !plan.transfer_family) {
    plan.missing = "a queue family with transfers alone (found none)";
  } else if (choice.graphics_queue && !plan.graphics_family) {
    plan.missing = "a queue family with graphics beside the compute queue's (found none)";
  } else if (choice.timeline && !facts.timeline_semaphore) {
    plan.missing = "timelineSemaphore (found none)";
  }
  if (!choice.transfer_queue) plan.transfer_family.reset();
  if (!choice.graphics_queue) plan.graphics_family.reset();
  return plan;
}

std::vector<std::string> unmet_requirements(const DeviceFacts& facts, Purpose purpose) {
  std::vector<std::string> unmet;
  const auto require = [&unmet](bool met, const char* wanted, const std::string& found) {
    if (!met) {
      unmet.push_back(fmt::format("{} (found {})", wanted, found));
    }
  };
  const auto require_feature = [&require](bool met, const char* wanted) { require(met, wanted, "none"); };

  require(facts.api_major > 1 || (facts.api_major == 1 && facts.api_minor >= 3), "Vulkan 1.3",
          fmt::format("{}.{}", facts.api_major, facts.api_minor));

  if (purpose == Purpose::kListings) {
    require(any_compute_family(facts).has_value(), "a queue family with compute", "none");
  } else {
    std::string families;
    for (const QueueFamilyFacts& family : facts.queue_families) {
      families += fmt::format("{}compute {}, {} bits", families.empty() ? "" : "; ", family.compute ? "yes" : "no",
                              family.timestamp_valid_bits);
    }
    require(choose_queue_family(facts).has_value(), "a queue family with compute and timestampValidBits of 36 to 64",
            families.empty() ? "no family" : families);
    require(std::isfinite(facts.timestamp_period) && facts.timestamp_period > 0, "a finite timestampPeriod > 0",
            fmt::format("{}", facts.timestamp_period));
    require(facts.memory_types != 0, "memory", "none: a compiler without a GPU, good for --dump-isa alone");
  }

  require_feature(facts.synchronization2, "synchronization2");
  require_feature(facts.maintenance4, "maintenance4");
  require_feature(facts.subgroup_size_control, "subgroupSizeControl");
  require_feature(facts.buffer_device_address, "bufferDeviceAddress");
  require_feature(facts.scalar_block_layout, "scalarBlockLayout");
  require_feature(facts.subgroup_arithmetic_in_compute, "subgroup arithmetic in compute shaders");
  return unmet;
}

}  // namespace bench::vulkan
