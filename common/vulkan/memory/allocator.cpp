#include "vulkan/memory/allocator.h"

#include <algorithm>
#include <numeric>

#include "core/base/watchdog.h"

namespace bench::vulkan {
namespace {

using Usage = vk::BufferUsageFlagBits;
using Memory = vk::MemoryPropertyFlagBits;

constexpr auto kHostPages = vk::ExternalMemoryHandleTypeFlagBits::eHostAllocationEXT;
constexpr double kLowPinnedBytesPerS = 0.2e9;  // the host's pages are cleared and pinned one by one

// Asked for anew each time: other programs use the GPU, too.
MemoryFacts memory_of(const Context& context) {
  using Properties = vk::PhysicalDeviceMemoryProperties2;
  using Budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT;
  const vk::PhysicalDeviceMemoryProperties memory = context.physical_device().getMemoryProperties();
  Budget budget;
  if (context.features().memory_budget)
    budget = context.physical_device().getMemoryProperties2<Properties, Budget>().get<Budget>();
  MemoryFacts facts;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const std::uint64_t bytes = memory.memoryHeaps[i].size;
    const std::uint64_t allowed = context.features().memory_budget ? budget.heapBudget[i] : bytes;
    facts.heaps.push_back({.bytes = bytes, .free_bytes = allowed - std::min(budget.heapUsage[i], allowed)});
  }
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    facts.types.push_back({.flags = memory.memoryTypes[i].propertyFlags, .heap = memory.memoryTypes[i].heapIndex});
  }
  return facts;
}

// VK_EXT_external_memory_host takes whole pages.
void check_host_pages(const Context& context, std::span<std::byte> pages) {
  if (!context.features().host_pointers) throw Skip("{} lacks VK_EXT_external_memory_host", context.info().name);
  using Properties = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT;
  const std::uint64_t alignment = properties_of<Properties>(context.physical_device()).minImportedHostPointerAlignment;
  if (reinterpret_cast<std::uintptr_t>(pages.data()) % alignment != 0 || pages.size() % alignment != 0)
    throw Skip("{} imports memory aligned to {} bytes, which ours is not", context.info().name, alignment);
}

void check_wish(const Context& context, const BufferWish& wish) {
  if (wish.bytes == 0) {
    throw Error("buffer '{}' of 0 bytes", wish.label);
  }
  if (wish.bytes > context.max_allocation_bytes()) {
    throw Error(
        "buffer '{}' of {} bytes is over {}'s limit of {} bytes for one buffer (maxBufferSize, maxMemoryAllocationSize)",
        wish.label, wish.bytes, context.info().name, context.max_allocation_bytes());
  }
  if (wish.order && !context.features().sparse_binding) {
    throw Skip("{} was opened without sparse binding", context.info().name);
  }
  if (!wish.host_pages.empty()) check_host_pages(context, wish.host_pages);
  if (!wish.shared) return;
  const OptionalFeatures& features = context.features();
  if (wish.import == nullptr && !features.export_memory) {
    throw Skip("{} does not export a storage buffer's memory (VK_KHR_external_memory_fd)", context.info().name);
  }
  if (wish.import != nullptr && !(wish.import->dedicated ? features.import_memory : features.import_undedicated)) {
    throw Skip("{} does not import {} memory for a storage buffer (VK_KHR_external_memory_fd)", context.info().name,
               wish.import->dedicated ? "a dedicated allocation's" : "an allocation's");
  }
}

// In order: by one bind. Scattered: block after block of the least size, near the golden section of their number apart, which
// is coprime to it, so that each is taken once.
void bind_by_queue(const Context& context, const Allocation& allocation, const vk::MemoryRequirements& requirements,
                   PageOrder order) {
  const bool scattered = order == PageOrder::kScattered;
  const std::uint64_t block = scattered ? requirements.alignment : requirements.size;
  const std::uint64_t blocks = requirements.size / block;  // Vulkan 1.3: a sparse buffer's size is a multiple of its alignment
  std::uint64_t step = std::max<std::uint64_t>(blocks * 618 / 1000, 1);
  while (std::gcd(step, blocks) != 1) ++step;
  std::vector<vk::SparseMemoryBind> binds(blocks);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    binds[i].resourceOffset = i * block;
    binds[i].size = block;
    binds[i].memory = *allocation.memory;
    binds[i].memoryOffset = i * step % blocks * block;
  }
  const vk::SparseBufferMemoryBindInfo buffer{
      .buffer = *allocation.buffer, .bindCount = static_cast<std::uint32_t>(binds.size()), .pBinds = binds.data()};
  const vk::raii::Fence bound = BENCH_VK(context.device().createFence({}));
  BENCH_VK(context.queue().bindSparse(vk::BindSparseInfo{.bufferBindCount = 1, .pBufferBinds = &buffer}, *bound),
           "{} blocks of {} bytes", blocks, block);
  static_cast<void>(BENCH_VK(context.device().waitForFences(*bound, true, UINT64_MAX)));
}

// Longer where the host sees the memory.
double expected_s(const Context& context, const BufferWish& wish) {
  const bool pinned = !wish.kinds.empty() && (wish.kinds.front().required & Memory::eHostVisible);
  return context.expected_s(pinned ? static_cast<double>(wish.bytes) / kLowPinnedBytesPerS : 0);
}

}  // namespace

std::vector<MemoryKind> device_local() { return {{.required = Memory::eDeviceLocal}}; }

std::vector<MemoryKind> host_cached() {
  const vk::MemoryPropertyFlags seen = Memory::eHostVisible | Memory::eHostCoherent;
  return {{.required = seen | Memory::eHostCached}, {.required = seen, .unwanted = Memory::eDeviceLocal}, {.required = seen}};
}

std::uint32_t choose_memory_type(const Context& context, std::string_view label, const MemoryNeed& need) {
  const MemoryChoice choice = choose_memory_type(memory_of(context), need);
  if (choice.type) return *choice.type;
  if (choice.no_room) throw OutOfMemory("{} has no room for buffer '{}': {}", context.info().name, label, choice.reason);
  throw Skip("{} has no memory type for buffer '{}': {}", context.info().name, label, choice.reason);
}

Allocation allocate_buffer(const Context& context, const BufferWish& wish) {
  check_wish(context, wish);
  const Deadline deadline("an allocation", expected_s(context, wish));
  const bool takes_host_pages = !wish.host_pages.empty();
  const vk::ExternalMemoryBufferCreateInfo external{.handleTypes = takes_host_pages ? kHostPages : kSharedHandle};
  const std::vector<std::uint32_t> families = context.queue_families();
  const bool several = families.size() > 1;
  const vk::BufferCreateInfo buffer_info{
      .pNext = wish.shared || takes_host_pages ? &external : nullptr,
      .flags = wish.order ? vk::BufferCreateFlagBits::eSparseBinding : vk::BufferCreateFlags(),
      .size = wish.bytes,
      .usage = wish.usage,
      .sharingMode = several ? vk::SharingMode::eConcurrent : vk::SharingMode::eExclusive,
      .queueFamilyIndexCount = several ? static_cast<std::uint32_t>(families.size()) : 0,
      .pQueueFamilyIndices = families.data()};
  Allocation allocation;
  allocation.buffer = BENCH_VK(context.device().createBuffer(buffer_info), "buffer '{}', {} bytes", wish.label, wish.bytes);
  const vk::MemoryRequirements requirements = allocation.buffer.getMemoryRequirements();
  const std::uint64_t bytes = takes_host_pages         ? wish.host_pages.size()
                              : wish.import != nullptr ? wish.import->allocation_bytes
                                                       : requirements.size;
  std::uint32_t allowed = requirements.memoryTypeBits;
  if (takes_host_pages) {
    const auto host = BENCH_VK(context.device().getMemoryHostPointerPropertiesEXT(kHostPages, wish.host_pages.data()));
    allowed &= host.memoryTypeBits;
    if (requirements.size > bytes)
      throw Skip("{} wants {} bytes for a buffer of {} host bytes", context.info().name, requirements.size, bytes);
  }
  allocation.type = choose_memory_type(
      context, wish.label,
      {.bytes = bytes, .kinds = wish.kinds, .allowed = allowed, .takes_pages = wish.import == nullptr && !takes_host_pages});

  const void* next = nullptr;
  // A dedicated allocation must be imported as one, any other must not, and is never a sparse buffer's, nor of host pages
  // (Vulkan 1.3, VkMemoryDedicatedAllocateInfo, VkMemoryAllocateInfo).
  vk::MemoryDedicatedAllocateInfo dedicated{.buffer = *allocation.buffer};
  if (wish.import == nullptr ? !wish.order && !takes_host_pages : wish.import->dedicated) {
    next = &dedicated;
  }
  const vk::ExportMemoryAllocateInfo exported{.pNext = next, .handleTypes = kSharedHandle};
  const vk::ImportMemoryFdInfoKHR imported{
      .pNext = next, .handleType = kSharedHandle, .fd = wish.import != nullptr ? wish.import->handle.handle() : -1};
  const vk::ImportMemoryHostPointerInfoEXT pages{.handleType = kHostPages, .pHostPointer = wish.host_pages.data()};
  if (takes_host_pages) {
    next = &pages;
  } else if (wish.import != nullptr) {
    next = &imported;
  } else if (wish.shared) {
    next = &exported;
  }
  const vk::MemoryAllocateFlagsInfo addressable{.pNext = next, .flags = vk::MemoryAllocateFlagBits::eDeviceAddress};
  if (wish.usage & Usage::eShaderDeviceAddress) {
    next = &addressable;
  }
  allocation.memory =
      BENCH_VK(context.device().allocateMemory({.pNext = next, .allocationSize = bytes, .memoryTypeIndex = allocation.type}),
               "buffer '{}', {} bytes of memory type {}", wish.label, bytes, allocation.type);
  if (wish.import != nullptr) {
    wish.import->handle.release();  // Vulkan's, since the import succeeded (Vulkan 1.3, VkImportMemoryFdInfoKHR)
  }
  if (wish.order) {
    bind_by_queue(context, allocation, requirements, *wish.order);
  } else {
    BENCH_VK(allocation.buffer.bindMemory(*allocation.memory, 0));
  }
  context.label(allocation.buffer, wish.label);
  return allocation;
}

MappedBuffer::MappedBuffer(const Context& context, const BufferWish& wish)
    : allocation_(allocate_buffer(context, wish)),
      host_(!wish.host_pages.empty()
                ? wish.host_pages
                : std::span(static_cast<std::byte*>(BENCH_VK(allocation_.memory.mapMemory(0, VK_WHOLE_SIZE))), wish.bytes)) {
  if (wish.usage & Usage::eShaderDeviceAddress) address_ = context.device().getBufferAddress({.buffer = *allocation_.buffer});
}

}  // namespace bench::vulkan
