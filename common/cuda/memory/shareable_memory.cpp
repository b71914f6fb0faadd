#include "cuda/memory/shareable_memory.h"

#include "core/base/watchdog.h"
#include "cuda/api/driver.h"

namespace bench::cuda {

// Of CUDA 10.2: export, the last of these functions to come.
template <class Function>
Function since_10_2(const char* name) {
  return driver_function<Function>(name, 10020);
}

struct VirtualMemoryFunctions {
  PFN_cuMemGetAllocationGranularity_v10020 granularity =
      since_10_2<PFN_cuMemGetAllocationGranularity_v10020>("cuMemGetAllocationGranularity");
  PFN_cuMemCreate_v10020 create = since_10_2<PFN_cuMemCreate_v10020>("cuMemCreate");
  PFN_cuMemRelease_v10020 release = since_10_2<PFN_cuMemRelease_v10020>("cuMemRelease");
  PFN_cuMemAddressReserve_v10020 reserve = since_10_2<PFN_cuMemAddressReserve_v10020>("cuMemAddressReserve");
  PFN_cuMemAddressFree_v10020 free = since_10_2<PFN_cuMemAddressFree_v10020>("cuMemAddressFree");
  PFN_cuMemMap_v10020 map = since_10_2<PFN_cuMemMap_v10020>("cuMemMap");
  PFN_cuMemUnmap_v10020 unmap = since_10_2<PFN_cuMemUnmap_v10020>("cuMemUnmap");
  PFN_cuMemSetAccess_v10020 set_access = since_10_2<PFN_cuMemSetAccess_v10020>("cuMemSetAccess");
  PFN_cuMemExportToShareableHandle_v10020 export_handle =
      since_10_2<PFN_cuMemExportToShareableHandle_v10020>("cuMemExportToShareableHandle");

  // Looked up once: the driver does not change under a process.
  static const VirtualMemoryFunctions& once() {
    static const VirtualMemoryFunctions found;
    return found;
  }
};

ShareableMemory::ShareableMemory(int ordinal, std::uint64_t bytes, std::string_view label)
    : driver_(VirtualMemoryFunctions::once()) {
  if (bytes == 0) throw Error("buffer '{}': 0 bytes asked for", label);
  const Deadline deadline("an allocation");
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = ordinal};
  std::size_t granularity = 0;
  BENCH_CU(status_of(driver_.granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)), "device {}",
           ordinal);
  bytes_ = (bytes + granularity - 1) / granularity * granularity;

  const cudaError_t created = status_of(driver_.create(&pages_, bytes_, &properties, 0));
  if (created == cudaErrorMemoryAllocation) {
    throw OutOfMemory("buffer '{}': {} bytes wanted; cuMemCreate: {}", label, bytes_, describe(created));
  }
  BENCH_CU(created, "cuMemCreate of {} bytes for buffer '{}'", bytes_, label);
  try {
    BENCH_CU(status_of(driver_.reserve(&address_, bytes_, granularity, 0, 0)), "{} bytes for buffer '{}'", bytes_, label);
    BENCH_CU(status_of(driver_.map(address_, bytes_, 0, pages_, 0)), "{} bytes of buffer '{}'", bytes_, label);
    mapped_ = true;
    const CUmemAccessDesc access{.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    BENCH_CU(status_of(driver_.set_access(address_, bytes_, &access, 1)), "{} bytes of buffer '{}'", bytes_, label);
  } catch (...) {
    release();
    throw;
  }
}

ShareableMemory::~ShareableMemory() { release(); }

// The results are dropped: on a lost context every call fails, and the process's end frees what is left.
void ShareableMemory::release() const noexcept {
  const Deadline deadline("the release of memory");
  if (mapped_) static_cast<void>(driver_.unmap(address_, bytes_));
  if (address_ != 0) static_cast<void>(driver_.free(address_, bytes_));
  static_cast<void>(driver_.release(pages_));
}

FileDescriptor ShareableMemory::export_handle() const {
  int raw = -1;
  BENCH_CU(status_of(driver_.export_handle(&raw, pages_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)), "{} bytes", bytes_);
  return FileDescriptor(raw);
}

}  // namespace bench::cuda
