#include "vulkan/memory/memory_type.h"

#include <fmt/format.h>

namespace bench::vulkan {
namespace {

using MemoryFlag = vk::MemoryPropertyFlagBits;

// Protected memory, memory for images alone, AMD's uncached and device-coherent memory, and memory that a network card reaches.
constexpr vk::MemoryPropertyFlags kWantsFeature = MemoryFlag::eProtected | MemoryFlag::eLazilyAllocated |
                                                  MemoryFlag::eDeviceCoherentAMD | MemoryFlag::eDeviceUncachedAMD |
                                                  MemoryFlag::eRdmaCapableNV;

bool is_of(const TypeFacts& type, const MemoryKind& kind) {
  return (type.flags & kind.required) == kind.required && !(type.flags & (kind.unwanted | kWantsFeature));
}

bool has_room(const HeapFacts& heap, const MemoryNeed& need) {
  return need.bytes <= (need.takes_pages ? heap.free_bytes : heap.bytes);
}

std::string describe(const MemoryFacts& facts, const MemoryNeed& need) {
  std::string text = fmt::format("{} bytes wanted in memory that is", need.bytes);
  for (const MemoryKind& kind : need.kinds) {
    text += fmt::format("{} {}", &kind == need.kinds.data() ? "" : ", or", vk::to_string(kind.required));
    if (kind.unwanted) text += fmt::format(" and not {}", vk::to_string(kind.unwanted));
  }
  text += "; found";
  for (std::size_t i = 0; i < facts.types.size(); ++i) {
    const bool allowed = (need.allowed >> i & 1U) != 0;
    text += fmt::format(" type {} {} of heap {}{},", i, vk::to_string(facts.types[i].flags), facts.types[i].heap,
                        allowed ? "" : " (not for this buffer)");
  }
  for (std::size_t i = 0; i < facts.heaps.size(); ++i) {
    text += fmt::format("{} heap {} with {} of {} bytes free", i == 0 ? "" : ",", i, facts.heaps[i].free_bytes,
                        facts.heaps[i].bytes);
  }
  return text;
}

}  // namespace

MemoryChoice choose_memory_type(const MemoryFacts& facts, const MemoryNeed& need) {
  bool is_there = false;
  for (const MemoryKind& kind : need.kinds) {
    for (std::uint32_t i = 0; i < facts.types.size(); ++i) {
      if ((need.allowed >> i & 1U) == 0 || !is_of(facts.types[i], kind)) continue;
      if (has_room(facts.heaps.at(facts.types[i].heap), need)) return {.type = i};
      is_there = true;
    }
  }
  return {.no_room = is_there, .reason = describe(facts, need)};
}

}  // namespace bench::vulkan
