// Which memory type an allocation gets, on memories that are not here. Sizes and flags: vulkaninfo's, as their owners published
// them; flags alone of the H200 (this suite's exp08).
#include "vulkan/memory/memory_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vulkan/memory/allocator.h"

namespace bench::vulkan {
namespace {

using testing::HasSubstr;
using Flag = vk::MemoryPropertyFlagBits;

constexpr std::uint64_t kMi = 1ULL << 20;
constexpr std::uint64_t kGi = 1ULL << 30;

constexpr vk::MemoryPropertyFlags kNone;
constexpr vk::MemoryPropertyFlags kLocal = Flag::eDeviceLocal;
constexpr vk::MemoryPropertyFlags kSeen = Flag::eHostVisible | Flag::eHostCoherent;
constexpr vk::MemoryPropertyFlags kCached = kSeen | Flag::eHostCached;
constexpr vk::MemoryPropertyFlags kWindow = kLocal | kSeen;
constexpr vk::MemoryPropertyFlags kUnified = kLocal | kCached;
constexpr vk::MemoryPropertyFlags kCoherentAmd = Flag::eDeviceCoherentAMD | Flag::eDeviceUncachedAMD;

std::vector<HeapFacts> heaps(std::initializer_list<std::uint64_t> sizes) {
  std::vector<HeapFacts> result;
  for (const std::uint64_t bytes : sizes) result.push_back({bytes, bytes});
  return result;
}

// GTX 1060 without, RTX 4090 with a resizable BAR.
const MemoryFacts kNvidiaWindow = {heaps({6 * kGi, 47 * kGi, 246 * kMi}),
                                   {{kNone, 1},
                                    {kNone, 1},
                                    {kNone, 1},
                                    {kNone, 1},
                                    {kNone, 1},
                                    {kNone, 1},
                                    {kNone, 1},
                                    {kLocal, 0},
                                    {kSeen, 1},
                                    {kCached, 1},
                                    {kWindow, 2}}};
const MemoryFacts kNvidiaResized = {heaps({24 * kGi, 47 * kGi}),
                                    {{kNone, 1}, {kLocal, 0}, {kSeen, 1}, {kCached, 1}, {kWindow, 0}}};
const MemoryFacts kH200 = {heaps({140 * kGi, 1500 * kGi}), {{kNone, 1}, {kLocal, 0}, {kSeen, 1}, {kCached, 1}, {kWindow, 0}}};
// RX 5700 XT by RADV, without and with a resizable BAR. Its device-coherent types want a feature.
const MemoryFacts kAmdWindow = {heaps({7936 * kMi, 8176 * kMi, 256 * kMi}),
                                {{kLocal, 0},
                                 {kLocal, 0},
                                 {kSeen, 1},
                                 {kWindow, 2},
                                 {kWindow, 2},
                                 {kCached, 1},
                                 {kCached, 1},
                                 {kLocal | kCoherentAmd, 0},
                                 {kSeen | kCoherentAmd, 1},
                                 {kWindow | kCoherentAmd, 2}}};
const MemoryFacts kAmdResized = {heaps({15978 * kMi, 8176 * kMi}),
                                 {{kSeen, 0}, {kLocal, 1}, {kWindow, 1}, {kCached, 0}, {kLocal | kCoherentAmd, 1}}};
// Two thirds of the memory are said to be the GPU's.
const MemoryFacts kAmdIntegrated = {heaps({1365 * kMi, 2730 * kMi}), {{kLocal, 1}, {kSeen, 0}, {kWindow, 1}, {kCached, 0}}};
const MemoryFacts kIntelIntegrated = {heaps({31 * kGi}), {{kWindow, 0}, {kUnified, 0}}};
const MemoryFacts kLavapipe = {heaps({2 * kGi}), {{kUnified, 0}}};
// A second heap is for protected memory alone.
const MemoryFacts kAdreno = {
    heaps({3677 * kMi, 256 * kMi}),
    {{kLocal | Flag::eProtected, 1}, {kWindow, 0}, {kLocal, 0}, {kUnified, 0}, {kLocal | Flag::eLazilyAllocated, 0}}};
const MemoryFacts kMali = {heaps({7 * kGi}), {{kWindow, 0}, {kUnified, 0}, {kLocal | Flag::eLazilyAllocated, 0}}};
// NVK: the window stands before the host's memory.
const MemoryFacts kNouveau = {heaps({8 * kGi, 256 * kMi, 11 * kGi}), {{kLocal, 0}, {kWindow, 1}, {kSeen, 2}, {kCached, 2}}};

const std::vector<MemoryKind> kMapped = {{.required = kWindow}, {.required = kSeen}};  // as for descriptors

struct Wanted {
  const char* name;
  const MemoryFacts* memory;
  std::uint32_t local;   // 1 GiB of the GPU's own memory
  std::uint32_t cached;  // 32 MiB of staging memory
  std::uint32_t mapped;  // 64 KiB on the GPU, written by the host
  std::uint32_t large;   // 1 GiB of the same
};

TEST(MemoryType, IsTheOneThatIsMeant) {
  const Wanted table[] = {
      {"NVIDIA, 246 MiB window", &kNvidiaWindow, 7, 9, 10, 8},
      {"NVIDIA, resizable BAR", &kNvidiaResized, 1, 3, 4, 4},
      {"H200", &kH200, 1, 3, 4, 4},
      {"AMD, 256 MiB window", &kAmdWindow, 0, 5, 3, 2},
      {"AMD, resizable BAR", &kAmdResized, 1, 3, 2, 2},
      {"AMD, integrated", &kAmdIntegrated, 0, 3, 2, 2},
      {"Intel, integrated", &kIntelIntegrated, 0, 1, 0, 0},
      {"lavapipe", &kLavapipe, 0, 0, 0, 0},
      {"Adreno", &kAdreno, 1, 3, 1, 1},
      {"Mali", &kMali, 0, 1, 0, 0},
      {"NVK, 256 MiB window", &kNouveau, 0, 3, 1, 2},
  };
  for (const Wanted& wanted : table) {
    SCOPED_TRACE(wanted.name);
    const auto type_of = [&](std::uint64_t bytes, const std::vector<MemoryKind>& kinds) {
      return choose_memory_type(*wanted.memory, {.bytes = bytes, .kinds = kinds}).type;
    };
    EXPECT_EQ(type_of(kGi, device_local()), wanted.local);
    EXPECT_EQ(type_of(32 * kMi, host_cached()), wanted.cached);
    EXPECT_EQ(type_of(64 << 10, kMapped), wanted.mapped);
    EXPECT_EQ(type_of(kGi, kMapped), wanted.large);
  }
}

TEST(MemoryType, IsPassedOverWhereTheHeapIsFull) {
  MemoryFacts memory = kNvidiaWindow;
  memory.heaps[2].free_bytes = 1 * kMi;
  EXPECT_EQ(choose_memory_type(memory, {.bytes = 2 * kMi, .kinds = kMapped}).type, 8U);
  memory.heaps[1].free_bytes = 1 * kMi;
  const MemoryChoice none = choose_memory_type(memory, {.bytes = 2 * kMi, .kinds = kMapped});
  EXPECT_FALSE(none.type);
  EXPECT_TRUE(none.no_room);
}

TEST(MemoryType, HasAReasonWhereNothingHasRoom) {
  MemoryFacts memory = kNvidiaResized;
  memory.heaps[0].free_bytes = 100 * kMi;
  const MemoryChoice none = choose_memory_type(memory, {.bytes = kGi, .kinds = device_local(), .allowed = 0b11010});
  EXPECT_FALSE(none.type);
  EXPECT_TRUE(none.no_room);
  EXPECT_EQ(
      none.reason,
      "1073741824 bytes wanted in memory that is { DeviceLocal }; found type 0 {} of heap 1 (not for this buffer), type 1 { "
      "DeviceLocal } of heap 0, type 2 { HostVisible | HostCoherent } of heap 1 (not for this buffer), type 3 { HostVisible "
      "| HostCoherent | HostCached } of heap 1, type 4 { DeviceLocal | HostVisible | HostCoherent } of heap 0, heap 0 with "
      "104857600 of 25769803776 bytes free, heap 1 with 50465865728 of 50465865728 bytes free");
}

TEST(MemoryType, ThatIsNotThereIsNoLackOfRoom) {
  const std::vector<MemoryKind> uncached = {{.required = kSeen, .unwanted = Flag::eHostCached}};
  const MemoryChoice none = choose_memory_type(kLavapipe, {.bytes = 4, .kinds = uncached});
  EXPECT_FALSE(none.type);
  EXPECT_FALSE(none.no_room);
  EXPECT_THAT(none.reason, HasSubstr("{ HostVisible | HostCoherent } and not { HostCached }"));
  EXPECT_FALSE(choose_memory_type(kNvidiaResized, {.bytes = 4, .kinds = device_local(), .allowed = 0b1100}).no_room);
}

// No feature that such types want is enabled, however good they would be otherwise.
TEST(MemoryType, ThatWantsAFeatureIsNobodys) {
  for (const vk::MemoryPropertyFlags special :
       {vk::MemoryPropertyFlags(Flag::eProtected), vk::MemoryPropertyFlags(Flag::eDeviceUncachedAMD),
        vk::MemoryPropertyFlags(Flag::eRdmaCapableNV), vk::MemoryPropertyFlags(Flag::eLazilyAllocated)}) {
    const MemoryFacts memory = {heaps({kGi}), {{kLocal | special, 0}}};
    EXPECT_FALSE(choose_memory_type(memory, {.bytes = 4, .kinds = device_local()}).type) << vk::to_string(special);
  }
}

// An import brings its pages along: the heap that holds them may be full.
TEST(MemoryType, OfAnImportWantsNoFreeMemory) {
  MemoryFacts memory = kNvidiaResized;
  memory.heaps[0].free_bytes = 0;
  EXPECT_EQ(choose_memory_type(memory, {.bytes = kGi, .kinds = device_local(), .takes_pages = false}).type, 1U);
  EXPECT_FALSE(choose_memory_type(memory, {.bytes = kGi, .kinds = device_local()}).type);
}

}  // namespace
}  // namespace bench::vulkan
