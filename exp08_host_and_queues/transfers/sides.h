// TransferSide to bring data from the host's memory to the GPU's and back, as each API has them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/experiment/workbench.h"

enum class Direction : std::uint8_t { kUp, kDown };
std::string_view to_string(Direction direction);  // "up", "down"

// What moves the data.
enum class Engine : std::uint8_t {
  kCopyEngine,    // CUDA: cudaMemcpyAsync. Vulkan: vkCmdCopyBuffer on a queue of a family with transfers alone
  kComputeQueue,  // Vulkan: vkCmdCopyBuffer on the queue that the kernels run on
  kKernel,        // a kernel's own loads and stores, 16 bytes a thread
};
std::string_view to_string(Engine engine);  // "copy_engine", "compute_queue", "kernel"

// The host's end of a transfer.
enum class HostMemory : std::uint8_t {
  kPageable,       // the application's own. CUDA copies it by way of pinned memory of the driver's; Vulkan does not take it
  kCached,         // CUDA: cudaHostAlloc. Vulkan: host visible, cached
  kUncached,       // CUDA: cudaHostAlloc, write-combined. Vulkan: host visible, not cached
  kCachedStaging,  // as kCached and kUncached, and apart from them: data pass through
  kUncachedStaging,
  kImported,         // the application's own pages, made known to the driver. CUDA: cudaHostRegister. Vulkan:
                     // VK_EXT_external_memory_host
  kImportedStaging,  // the same, likewise
  kOnDevice,         // the GPU's own memory in the host's address space. Vulkan: device local and host visible
};
inline bool is_imported(HostMemory memory) { return memory == HostMemory::kImported || memory == HostMemory::kImportedStaging; }
std::string_view to_string(
    HostMemory memory);  // "pageable", "cached", "uncached", "imported", "on_device"; of staging memory as of the other

// `bytes` between an offset in that memory and an offset in a buffer on the GPU. Offsets are multiples of 16.
struct TransferPath {
  Direction direction{};
  Engine engine{};
  HostMemory memory{};
  std::uint64_t host_offset = 0;
  const bench::Buffer* buffer = nullptr;
  std::uint64_t buffer_offset = 0;
  std::uint64_t bytes = 0;
};

// A transfer that is ready to be made again and again. One submission at a time.
class PreparedTransfer {
 public:
  PreparedTransfer() = default;
  virtual ~PreparedTransfer() = default;
  PreparedTransfer(const PreparedTransfer&) = delete;
  PreparedTransfer& operator=(const PreparedTransfer&) = delete;

  virtual void ready() {}  // ahead of each submission, and out of what is timed
  virtual void submit() = 0;
  // Until it has arrived, for the host or for the GPU's next work: polls, or lets the CPU go.
  virtual void wait(bool sleeps) = 0;
};

// One API's memory for the host, and its transfers.
class TransferSide : public bench::Kept {
 public:
  // That memory, `bytes` of it or more, the same until more is asked for. All but the staging memory is filled (see fill()),
  // and whoever changes it restores that. Throws Skip.
  virtual std::span<std::byte> memory(bench::Workbench& bench, HostMemory kind, std::uint64_t bytes) = 0;
  // What it is in the API's own words; after memory().
  virtual std::string describe(HostMemory kind) = 0;
  // After memory(). Throws Skip with what the device lacks.
  virtual std::unique_ptr<PreparedTransfer> prepare(bench::Workbench& bench, const TransferPath& way) = 0;
};

// Throw Skip.
std::unique_ptr<TransferSide> cuda_transfers(bench::Device& device);
std::unique_ptr<TransferSide> vulkan_transfers(bench::Device& device);

// Word i becomes the bits of word i of input 0.
void fill(const bench::Workbench& bench, std::span<std::byte> memory);

// The kernel of Engine::kKernel, and its blocks.
const bench::Kernel& move_kernel(bench::Workbench& bench);
std::uint32_t move_blocks(std::uint64_t bytes);
