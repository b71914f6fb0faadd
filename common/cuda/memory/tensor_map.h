// The descriptor that Hopper's tensor memory accelerator copies by; needs no CUDA header, and kernels include it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench {
class Buffer;
}

namespace bench::cuda {

// A CUtensorMap. A kernel takes it inside its params struct, as a `const __grid_constant__` argument at 64-byte alignment.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

// How the 16-byte pieces of a box's rows lie in shared memory.
enum class Swizzle : std::uint8_t {
  kNone,
  k128Bytes,  // rows of 128 bytes: piece p of row r lies at p xor r % 8. The box begins at a multiple of 1024 bytes
};

// A buffer of 32-bit words seen as rows, one after another, of which one copy takes a box.
struct Tensor2d {
  std::uint64_t row_words = 0;  // a multiple of 4
  std::uint64_t rows = 0;
  std::uint32_t box_words = 0;  // at most 256, a multiple of 4
  std::uint32_t box_rows = 0;   // at most 256
  Swizzle swizzle = Swizzle::kNone;
  bool wide_l2_reads = false;  // what misses the L2 comes in pieces of 256 bytes, not in sectors
};

// No interleave. Throws Error if the rows leave the buffer or the driver refuses.
TensorMap tensor_map_2d(const bench::Buffer& buffer, const Tensor2d& tensor);

}  // namespace bench::cuda
