#include "cuda/measure/l2_evictor.h"

#include "cuda/kernels/params.h"
#include "cuda_support_kernels.h"

namespace bench::cuda {
namespace {

constexpr std::uint64_t kVec4Bytes = 16;
constexpr std::uint32_t kBlockThreads = 256;
// 8 blocks * 256 threads = 2048 threads a multiprocessor: the most any architecture holds, so the whole GPU reads.
constexpr std::uint32_t kBlocksPerMultiprocessor = 8;

std::uint64_t whole_vec4s(std::uint64_t bytes) {
  // The kernel's 32-bit index runs up to one stride past the last element: 2 Gi elements * 16 B = 32 GiB leave it room.
  if (bytes < kVec4Bytes || bytes > (std::uint64_t{32} << 30)) {
    throw Error("L2 evictor: {} bytes asked for; 16 bytes to 32 GiB are possible", bytes);
  }
  return bytes / kVec4Bytes * kVec4Bytes;
}

}  // namespace

L2Evictor::L2Evictor(std::uint64_t bytes, std::uint32_t multiprocessors, ComputeCapability device)
    : kernel_({.images = &find_kernel(kernels::cuda_support(), "evict_l2"),
               .entry = "evict_l2",
               .block_x = kBlockThreads,
               .buffers = 2,
               .params_bytes = sizeof(EvictParams)},
              device),
      buffer_(whole_vec4s(bytes), "L2 evictor"),
      sink_(sizeof(std::uint32_t), "L2 evictor's sink"),
      blocks_(multiprocessors * kBlocksPerMultiprocessor) {}

void L2Evictor::enqueue(cudaStream_t stream) const {
  // The XOR of whole vec4s of one word is 0, so ~kFill never comes out and the sink is never written.
  EvictParams params{.vec4_count = static_cast<std::uint32_t>(buffer_.bytes() / kVec4Bytes), .impossible = ~kFill};
  void* data = buffer_.handle();
  void* sink = sink_.handle();
  void* args[] = {&data, &sink, &params};
  kernel_.launch(stream, {blocks_, 1, 1}, args);
}

}  // namespace bench::cuda
