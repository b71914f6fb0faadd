#include "vulkan/memory/buffer.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/watchdog.h"

namespace bench::vulkan {
namespace {

using Usage = vk::BufferUsageFlagBits;
using Memory = vk::MemoryPropertyFlagBits;

// The first type with all of `flags`: among types alike, the specification orders those with fewer further flags first
// (Vulkan 1.3, section 11.2.1).
std::optional<std::uint32_t> find_memory_type(const Context& context, std::uint32_t allowed, vk::MemoryPropertyFlags flags) {
  for (std::uint32_t i = 0; i < context.memory().memoryTypeCount; ++i) {
    if ((allowed >> i & 1U) != 0 && (context.memory().memoryTypes[i].propertyFlags & flags) == flags) {
      return i;
    }
  }
  return std::nullopt;
}

struct Wish {
  std::uint64_t bytes = 0;
  std::string_view label;
  vk::BufferUsageFlags usage;
  std::initializer_list<vk::MemoryPropertyFlags> types;  // the first that some allowed memory type has
  bool shared = false;                                   // with another API
  std::optional<PageOrder> order = std::nullopt;         // bound by the queue, in this order
  ExportedMemory* import = nullptr;  // whose pages to take, instead of new ones; its handle is Vulkan's afterwards
};

void check_wish(const Context& context, const Wish& wish) {
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

std::uint32_t choose_memory_type(const Context& context, const Wish& wish, std::uint32_t allowed) {
  for (const vk::MemoryPropertyFlags flags : wish.types) {
    if (const auto type = find_memory_type(context, allowed, flags)) {
      return *type;
    }
  }
  throw Error("{} has no memory type for buffer '{}': wanted {}, allowed types {:#x}", context.info().name, wish.label,
              vk::to_string(*(wish.types.end() - 1)), allowed);
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

Allocation make_allocation(const Context& context, const Wish& wish) {
  check_wish(context, wish);
  const Deadline deadline("an allocation", context.expected_s(0));
  const vk::ExternalMemoryBufferCreateInfo external{.handleTypes = kSharedHandle};
  const std::vector<std::uint32_t> families = context.queue_families();
  const bool several = families.size() > 1;
  const vk::BufferCreateInfo buffer_info{
      .pNext = wish.shared ? &external : nullptr,
      .flags = wish.order ? vk::BufferCreateFlagBits::eSparseBinding : vk::BufferCreateFlags(),
      .size = wish.bytes,
      .usage = wish.usage,
      .sharingMode = several ? vk::SharingMode::eConcurrent : vk::SharingMode::eExclusive,
      .queueFamilyIndexCount = several ? static_cast<std::uint32_t>(families.size()) : 0,
      .pQueueFamilyIndices = families.data()};
  Allocation allocation;
  allocation.buffer = BENCH_VK(context.device().createBuffer(buffer_info), "buffer '{}', {} bytes", wish.label, wish.bytes);
  const vk::MemoryRequirements requirements = allocation.buffer.getMemoryRequirements();
  const std::uint32_t type = choose_memory_type(context, wish, requirements.memoryTypeBits);
  const std::uint64_t bytes = wish.import != nullptr ? wish.import->allocation_bytes : requirements.size;

  const void* next = nullptr;
  // A dedicated allocation must be imported as one, any other must not, and is never a sparse buffer's (Vulkan 1.3,
  // VkMemoryDedicatedAllocateInfo).
  vk::MemoryDedicatedAllocateInfo dedicated{.buffer = *allocation.buffer};
  if (wish.import == nullptr ? !wish.order : wish.import->dedicated) {
    next = &dedicated;
  }
  const vk::ExportMemoryAllocateInfo exported{.pNext = next, .handleTypes = kSharedHandle};
  const vk::ImportMemoryFdInfoKHR imported{
      .pNext = next, .handleType = kSharedHandle, .fd = wish.import != nullptr ? wish.import->handle.handle() : -1};
  if (wish.import != nullptr) {
    next = &imported;
  } else if (wish.shared) {
    next = &exported;
  }
  const vk::MemoryAllocateFlagsInfo addressable{.pNext = next, .flags = vk::MemoryAllocateFlagBits::eDeviceAddress};
  if (wish.usage & Usage::eShaderDeviceAddress) {
    next = &addressable;
  }
  const std::uint64_t heap_bytes = context.memory().memoryHeaps[context.memory().memoryTypes[type].heapIndex].size;
  allocation.memory =
      BENCH_VK(context.device().allocateMemory({.pNext = next, .allocationSize = bytes, .memoryTypeIndex = type}),
               "buffer '{}', {} bytes of a heap of {} bytes", wish.label, bytes, heap_bytes);
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

}  // namespace

DeviceBuffer::DeviceBuffer(const Context& context, std::uint64_t bytes, std::string_view label, Sharing sharing,
                           std::optional<PageOrder> order)
    : Buffer(bytes, label),
      shared_(sharing == Sharing::kExportable),
      allocation_(make_allocation(context, {.bytes = bytes,
                                            .label = label,
                                            .usage = kDeviceUsage,
                                            .types = {Memory::eDeviceLocal},
                                            .shared = shared_,
                                            .order = order})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}

DeviceBuffer::DeviceBuffer(const Context& context, ExportedMemory memory, std::string_view label)
    : Buffer(memory.buffer_bytes, label),
      shared_(true),
      allocation_(make_allocation(context, {.bytes = memory.buffer_bytes,
                                            .label = label,
                                            .usage = kDeviceUsage,
                                            .types = {Memory::eDeviceLocal},
                                            .shared = true,
                                            .import = &memory})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}

// Cached first: the host reads uncached memory (a window into the GPU's, or write-combined) at some 100 MB/s.
// Coherent memory that the host sees always exists (Vulkan 1.3, section 11.2.1).
StagingBuffer::StagingBuffer(const Context& context, std::uint64_t bytes)
    : allocation_(make_allocation(context, {.bytes = bytes,
                                            .label = "staging",
                                            .usage = Usage::eTransferSrc | Usage::eTransferDst,
                                            .types = {Memory::eHostVisible | Memory::eHostCoherent | Memory::eHostCached,
                                                      Memory::eHostVisible | Memory::eHostCoherent}})),
      host_(static_cast<std::byte*>(BENCH_VK(allocation_.memory.mapMemory(0, VK_WHOLE_SIZE))), bytes) {}

ExportedMemory DeviceBuffer::export_memory(const Context& context) const {
  const vk::MemoryGetFdInfoKHR info{.memory = *allocation_.memory, .handleType = kSharedHandle};
  FileDescriptor handle(BENCH_VK(context.device().getMemoryFdKHR(info), "{} bytes", bytes()));
  return {std::move(handle), allocation_.buffer.getMemoryRequirements().size, bytes(), true};
}

void DeviceBuffer::acquire(const Context& context, const vk::raii::CommandBuffer& commands) const {
  hand_over(commands, VK_QUEUE_FAMILY_EXTERNAL, context.queue_family());
}

void DeviceBuffer::release(const Context& context, const vk::raii::CommandBuffer& commands) const {
  hand_over(commands, context.queue_family(), VK_QUEUE_FAMILY_EXTERNAL);
}

// The accesses are those of the side that is this device's: the other API's are its own affair.
void DeviceBuffer::hand_over(const vk::raii::CommandBuffer& commands, std::uint32_t from, std::uint32_t to) const {
  if (!shared_) return;
  const vk::AccessFlags2 all = vk::AccessFlagBits2::eMemoryRead | vk::AccessFlagBits2::eMemoryWrite;
  const vk::AccessFlags2 none = {};
  const vk::BufferMemoryBarrier2 barrier{.srcStageMask = vk::PipelineStageFlagBits2::eAllCommands,
                                         .srcAccessMask = from == VK_QUEUE_FAMILY_EXTERNAL ? none : all,
                                         .dstStageMask = vk::PipelineStageFlagBits2::eAllCommands,
                                         .dstAccessMask = to == VK_QUEUE_FAMILY_EXTERNAL ? none : all,
                                         .srcQueueFamilyIndex = from,
                                         .dstQueueFamilyIndex = to,
                                         .buffer = handle(),
                                         .size = VK_WHOLE_SIZE};
  commands.pipelineBarrier2({.bufferMemoryBarrierCount = 1, .pBufferMemoryBarriers = &barrier});
}

DescriptorMemory::DescriptorMemory(const Context& context, std::uint64_t bytes)
    : allocation_(make_allocation(context, {.bytes = bytes,
                                            .label = "descriptors",
                                            .usage = kUsage,
                                            .types = {Memory::eDeviceLocal | Memory::eHostVisible | Memory::eHostCoherent,
                                                      Memory::eHostVisible | Memory::eHostCoherent}})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})),
      host_(static_cast<std::byte*>(BENCH_VK(allocation_.memory.mapMemory(0, VK_WHOLE_SIZE))), bytes) {}

const DeviceBuffer& device_buffer(const Buffer& buffer) {
  const auto* ours = dynamic_cast<const DeviceBuffer*>(&buffer);
  if (ours == nullptr) {
    throw Error("a buffer of another API was handed to Vulkan");
  }
  return *ours;
}

}  // namespace bench::vulkan
