// Which of a device's memory types an allocation gets, decided over plain data: testable without a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/api/raii.h"

namespace bench::vulkan {

struct HeapFacts {
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;  // VK_EXT_memory_budget: heapBudget less heapUsage; without the extension, all of `bytes`
};

struct TypeFacts {
  vk::MemoryPropertyFlags flags;
  std::uint32_t heap = 0;
};

struct MemoryFacts {
  std::vector<HeapFacts> heaps;
  std::vector<TypeFacts> types;
};

struct MemoryKind {
  vk::MemoryPropertyFlags required;
  vk::MemoryPropertyFlags unwanted = {};
};

struct MemoryNeed {
  std::uint64_t bytes = 0;
  std::vector<MemoryKind> kinds;              // the first that has a type with room
  std::uint32_t allowed = ~std::uint32_t{0};  // VkMemoryRequirements::memoryTypeBits
  bool takes_pages = true;                    // false for an import: its pages are allocated already
};

struct MemoryChoice {
  std::optional<std::uint32_t> type = {};
  bool no_room = false;     // without a type: some type is of a kind that is asked for, and its heap is too small or too full
  std::string reason = {};  // without a type: what was wanted, and every type and heap that was found
};

// The driver's order decides among types of one kind: the specification puts types with fewer further flags first, and among
// equal flags the faster (Vulkan 1.3, section 11.2.1). A type is passed over where its heap has less room than the need: a heap
// of 256 MiB, the window through which the host sees a GPU's memory without a resizable BAR, is no place for 1 GiB. A type that
// wants a feature of its own, which nobody enables here, is none's.
MemoryChoice choose_memory_type(const MemoryFacts& facts, const MemoryNeed& need);

}  // namespace bench::vulkan
