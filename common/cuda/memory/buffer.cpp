#include "cuda/memory/buffer.h"

#include "core/base/watchdog.h"

namespace bench::cuda {
namespace {

DeviceMemory allocate(std::uint64_t bytes, std::string_view label) {
  // cudaMalloc(0) succeeds with a null pointer, which would fail later and elsewhere.
  if (bytes == 0) throw Error("buffer '{}': 0 bytes asked for", label);
  const Deadline deadline("an allocation");
  void* raw = nullptr;
  const cudaError_t status = cudaMalloc(&raw, bytes);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    std::size_t free = 0;
    std::size_t total = 0;
    BENCH_CU(cudaMemGetInfo(&free, &total));
    throw OutOfMemory("buffer '{}': {} bytes wanted, {} of {} bytes free on the GPU; cudaMalloc: {}", label, bytes, free, total,
                      describe(status));
  }
  BENCH_CU(status, "cudaMalloc of {} bytes for buffer '{}'", bytes, label);
  return DeviceMemory(raw);
}

ExternalMemory import(ExportedMemory& memory, std::string_view label) {
  const Deadline deadline("an import of memory");
  cudaExternalMemoryHandleDesc description{};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = memory.handle.handle();
  description.size = memory.allocation_bytes;
  description.flags = memory.dedicated ? cudaExternalMemoryDedicated : 0;
  cudaExternalMemory_t raw = nullptr;
  BENCH_CU(cudaImportExternalMemory(&raw, &description), "buffer '{}', {} bytes", label, memory.allocation_bytes);
  memory.handle.release();  // CUDA's, since the import succeeded (CUDA Runtime API, cudaImportExternalMemory)
  return ExternalMemory(raw);
}

DeviceMemory map(const ExternalMemory& memory, std::uint64_t bytes, std::string_view label) {
  const Deadline deadline("the mapping of imported memory");
  cudaExternalMemoryBufferDesc description{};
  description.size = bytes;
  void* raw = nullptr;
  BENCH_CU(cudaExternalMemoryGetMappedBuffer(&raw, memory.handle(), &description), "buffer '{}', {} bytes", label, bytes);
  return DeviceMemory(raw);
}

}  // namespace

Buffer::Buffer(std::unique_ptr<ShareableMemory> memory, std::uint64_t bytes, std::string_view label)
    : bench::Buffer(bytes, label), shareable_(std::move(memory)) {}

Buffer::Buffer(ExportedMemory memory, std::string_view label)
    : bench::Buffer(memory.buffer_bytes, label),
      imported_(import(memory, label)),
      memory_(map(imported_, memory.buffer_bytes, label)) {}

Buffer::Buffer(std::uint64_t bytes, std::string_view label) : bench::Buffer(bytes, label), memory_(allocate(bytes, label)) {}

ExportedMemory Buffer::export_memory() const {
  if (!shareable_) throw Error("buffer '{}' was not allocated to be shared", label());
  return {shareable_->export_handle(), shareable_->bytes(), bytes(), false};
}

const Buffer& own(const bench::Buffer& buffer) {
  const auto* cuda_buffer = dynamic_cast<const Buffer*>(&buffer);
  if (cuda_buffer == nullptr) throw Error("a buffer of {} bytes was not allocated by CUDA", buffer.bytes());
  return *cuda_buffer;
}

}  // namespace bench::cuda
