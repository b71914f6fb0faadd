// Device memory that another API can import: CUDA's virtual memory management, since cudaMalloc's cannot be exported to one.
#pragma once

#include <cudaTypedefs.h>

#include <bit>
#include <cstdint>
#include <string_view>

#include "core/base/file_descriptor.h"

namespace bench::cuda {

struct VirtualMemoryFunctions;

class ShareableMemory {
 public:
  // `bytes`, rounded up to the allocation granularity, on device `ordinal`, mapped for reading and writing by it.
  // Throws OutOfMemory; Error, also for a driver without virtual memory management.
  ShareableMemory(int ordinal, std::uint64_t bytes, std::string_view label);
  ShareableMemory(const ShareableMemory&) = delete;
  ShareableMemory& operator=(const ShareableMemory&) = delete;
  ~ShareableMemory();

  void* handle() const { return std::bit_cast<void*>(address_); }
  std::uint64_t bytes() const { return bytes_; }
  // Opaque: for one import (vkAllocateMemory with VkImportMemoryFdInfoKHR). Throws Error.
  FileDescriptor export_handle() const;

 private:
  void release() const noexcept;

  const VirtualMemoryFunctions& driver_;
  std::uint64_t bytes_ = 0;
  CUmemGenericAllocationHandle pages_ = 0;
  CUdeviceptr address_ = 0;
  bool mapped_ = false;
};

}  // namespace bench::cuda
