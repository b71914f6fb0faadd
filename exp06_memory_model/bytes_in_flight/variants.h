// The experiment, as a table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

enum class Operation : std::uint8_t { kRead, kCopy, kAdd, kWrite, kCount };

enum class Mechanism : std::uint8_t { kPlain, kEvictLast, kStaged, kCpAsync, kResident, kReadRing, kTensorRing, kCopyRing };

// One case: `per_sm` blocks of `block` threads on every SM; 0: as many blocks as there are tiles.
struct Shape {
  std::string_view variant;
  std::string_view stem;
  Operation operation;
  Mechanism mechanism;
  std::uint32_t elem_bytes;   // width of one access
  std::uint32_t unroll;       // accesses in flight a thread; 0: not the kernel's word for it
  std::uint32_t stages;       // likewise, copies in flight a thread (cp.async) or a warp (bulk)
  std::uint32_t chunk_bytes;  // of one bulk copy
  std::uint32_t block;
  std::uint32_t per_sm;
  std::uint32_t held_bytes = 0;  // resident: shared memory that a block takes

  bool is_resident() const { return mechanism == Mechanism::kResident; }
  bool is_ring() const { return mechanism >= Mechanism::kReadRing; }
  // GLSL has neither hints to the caches nor asynchronous copies.
  bool cuda_alone() const { return is_ring() || mechanism == Mechanism::kEvictLast || mechanism == Mechanism::kCpAsync; }
  bool reads() const { return operation == Operation::kRead; }  // and stores a sum a block alone
  std::uint32_t inputs() const { return operation == Operation::kAdd ? 2 : reads() || operation == Operation::kCopy ? 1 : 0; }
  // What a block takes of each buffer in one turn.
  std::uint32_t tile_bytes() const;
  // What a block of a persistent grid has asked for and not yet got. 0 of writes: nothing waits for a store.
  std::uint32_t block_bytes_in_flight() const;
  // A block's shared memory; CUDA's is dynamic.
  std::uint32_t shared_bytes() const;
};

// Blocks that take so much shared memory, and count how many there are at once.
Shape resident(std::uint32_t held_bytes);

// `few`: one shape of every kernel. All shapes' tiles divide kTileMultiple.
std::vector<Shape> shapes(bool few);

// 3 * 2^17: 384 and 768 threads, for 24 and 48 KiB, have tiles of three times a power of two.
inline constexpr std::uint32_t kTileMultiple = 3U << 17;
