// Device memory from cudaMalloc, or another API's: never managed memory, whose pages may lie elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/device/offers.h"
#include "cuda/api/handle.h"
#include "cuda/memory/shareable_memory.h"

namespace bench::cuda {

class Buffer final : public bench::Buffer {
 public:
  // Throws OutOfMemory with the label, the bytes wanted and the bytes free; Error for 0 bytes.
  Buffer(std::uint64_t bytes, std::string_view label);
  // Over memory that another API can import.
  Buffer(std::unique_ptr<ShareableMemory> memory, std::uint64_t bytes, std::string_view label);
  // The pages of a Vulkan buffer. Throws Error.
  Buffer(ExportedMemory memory, std::string_view label);

  // A device pointer; the driver API's CUdeviceptr is the same address.
  void* handle() const noexcept { return shareable_ ? shareable_->handle() : memory_.handle(); }
  std::byte* at(std::uint64_t offset) const noexcept { return static_cast<std::byte*>(handle()) + offset; }

  // Of shareable memory. Throws Error, also for memory that is not.
  ExportedMemory export_memory() const;

 private:
  std::unique_ptr<ShareableMemory> shareable_;
  ExternalMemory imported_;  // empty for memory of CUDA's own
  DeviceMemory memory_;      // empty for shareable memory. Goes first: it may be a view of imported_
};

// The buffer as CUDA's own. Throws Error if another API's device allocated it.
const Buffer& own(const bench::Buffer& buffer);

}  // namespace bench::cuda
