#include "variants.h"

#include <set>
#include <tuple>

namespace {

constexpr std::uint32_t kBarrierBytes = 8;

void add_plain(std::vector<Shape>& list) {
  const auto add = [&](std::uint32_t bytes, std::uint32_t unroll, std::uint32_t block, std::uint32_t per_sm) {
    const std::string_view stem = bytes == 4 ? "read_plain_4" : bytes == 8 ? "read_plain_8" : "read_plain_16";
    list.push_back({per_sm == 0 ? "read_tiles" : "read_plain", stem, Operation::kRead, Mechanism::kPlain, bytes, unroll, 0, 0,
                    block, per_sm});
  };
  for (const std::uint32_t unroll : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t block : {32U, 64U, 128U, 256U, 512U, 1024U}) add(16, unroll, block, 1);
    if (unroll < 8) add(16, unroll, 1024, 2);
  }
  for (const std::uint32_t block : {384U, 768U}) add(16, 4, block, 1);  // 24 and 48 KiB
  for (const std::uint32_t per_sm : {2U, 4U, 8U}) add(16, 4, 256, per_sm);
  for (const std::uint32_t bytes : {4U, 8U}) {
    for (const std::uint32_t unroll : {1U, 2U, 4U, 8U}) add(bytes, unroll, 1024, 1);
    for (const std::uint32_t unroll : {4U, 8U}) add(bytes, unroll, 1024, 2);
  }
  add(16, 4, 256, 0);
  add(16, 4, 512, 0);
  add(16, 8, 256, 0);
}

void add_staged(std::vector<Shape>& list) {
  const auto add = [&](std::uint32_t unroll, std::uint32_t block, std::uint32_t per_sm) {
    list.push_back({"read_staged", "read_staged", Operation::kRead, Mechanism::kStaged, 16, unroll, 0, 0, block, per_sm});
  };
  // Two tiles and the sums lie within 32 KiB, which is all that some devices have for a workgroup: 512 vectors a tile.
  for (const std::uint32_t per_sm : {1U, 2U, 4U, 6U, 8U}) add(4, 128, per_sm);
  for (const std::uint32_t per_sm : {1U, 2U, 4U, 8U}) add(2, 256, per_sm);
  for (const std::uint32_t per_sm : {1U, 2U, 4U}) add(1, 512, per_sm);
}

void add_cp_async(std::vector<Shape>& list) {
  for (const std::uint32_t stages : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t block : {32U, 128U, 512U, 1024U})
      list.push_back({"read_cp_async", "read_cp_async", Operation::kRead, Mechanism::kCpAsync, 16, 0, stages, 0, block, 1});
  }
  for (const std::uint32_t block : {384U, 768U})
    list.push_back({"read_cp_async", "read_cp_async", Operation::kRead, Mechanism::kCpAsync, 16, 0, 4, 0, block, 1});
}

// Of copy_tiles' shapes.
void add_evict_last(std::vector<Shape>& list) {
  const auto add = [&](std::uint32_t unroll, std::uint32_t block) {
    list.push_back(
        {"copy_evict_last", "copy_evict_last_16", Operation::kCopy, Mechanism::kEvictLast, 16, unroll, 0, 0, block, 0});
  };
  for (const std::uint32_t block : {128U, 256U, 512U}) add(1, block);
  for (const std::uint32_t block : {256U, 1024U}) add(2, block);
}

// Every thread slot of an SM that has 2048 of them is taken, with one access each; loads of 4 bytes with two and four, too. And
// with five to seven of eight blocks, as if the others were just being started.
void add_full(std::vector<Shape>& list) {
  const auto add = [&](Operation operation, std::string_view variant, std::string_view stem, std::uint32_t bytes,
                       std::uint32_t unroll, std::uint32_t per_sm = 8) {
    list.push_back({variant, stem, operation, Mechanism::kPlain, bytes, unroll, 0, 0, 256, per_sm});
  };
  for (const std::uint32_t unroll : {1U, 2U, 4U}) add(Operation::kRead, "read_plain", "read_plain_4", 4, unroll);
  add(Operation::kRead, "read_plain", "read_plain_8", 8, 1);
  add(Operation::kRead, "read_plain", "read_plain_16", 16, 1);
  for (const std::uint32_t unroll : {1U, 2U, 4U}) add(Operation::kCopy, "copy_plain", "copy_plain_4", 4, unroll);
  add(Operation::kCopy, "copy_plain", "copy_plain_8", 8, 1);
  add(Operation::kCopy, "copy_plain", "copy_plain_16", 16, 1);
  add(Operation::kAdd, "add_plain", "add_plain_4", 4, 1);
  add(Operation::kWrite, "write_plain", "write_plain_4", 4, 1);
  add(Operation::kWrite, "write_plain", "write_plain_8", 8, 1);
  add(Operation::kWrite, "write_plain", "write_plain_16", 16, 1);
  for (const std::uint32_t per_sm : {5U, 6U, 7U}) {
    add(Operation::kRead, "read_plain", "read_plain_4", 4, 1, per_sm);
    add(Operation::kRead, "read_plain", "read_plain_8", 8, 1, per_sm);
    add(Operation::kCopy, "copy_plain", "copy_plain_4", 4, 1, per_sm);
    add(Operation::kCopy, "copy_plain", "copy_plain_8", 8, 1, per_sm);
    add(Operation::kAdd, "add_plain", "add_plain_4", 4, 1, per_sm);
  }
  for (const std::uint32_t per_sm : {3U, 4U}) add(Operation::kAdd, "add_plain", "add_plain_8", 8, 1, per_sm);
}

// 16 KiB come first: a few shapes have them alone.
void add_resident(std::vector<Shape>& list) {
  for (const std::uint32_t kib : {16U, 1U, 4U, 8U, 12U, 24U, 32U, 40U, 48U, 64U, 96U, 112U, 227U})
    list.push_back(resident(kib << 10));
}

// Bulk copies: chunk, warps, stages.
struct Ring {
  std::uint32_t chunk_bytes, warps, stages;
};

void add_rings(std::vector<Shape>& list, std::string_view stem, Operation operation, Mechanism mechanism,
               const std::vector<Ring>& rings) {
  for (const Ring& ring : rings)
    list.push_back({stem, stem, operation, mechanism, 16, 0, ring.stages, ring.chunk_bytes, ring.warps * 32, 1});
}

}  // namespace

std::uint32_t Shape::tile_bytes() const {
  if (is_ring()) return block / 32 * chunk_bytes;
  return block * elem_bytes * (unroll == 0 ? 1 : unroll);
}

std::uint32_t Shape::block_bytes_in_flight() const {
  if (operation == Operation::kAdd || operation == Operation::kWrite) return inputs() * tile_bytes();
  if (mechanism == Mechanism::kCopyRing) return stages / 2 * tile_bytes();  // the other half is on its way out
  return (stages == 0 ? 1 : stages) * tile_bytes();
}

std::uint32_t Shape::shared_bytes() const {
  switch (mechanism) {
    case Mechanism::kPlain:
    case Mechanism::kEvictLast:
      return 0;
    case Mechanism::kResident:
      return held_bytes;
    case Mechanism::kStaged:
      return 2 * tile_bytes();
    case Mechanism::kCpAsync:
      return stages * tile_bytes();
    default:
      return stages * (tile_bytes() + block / 32 * kBarrierBytes);
  }
}

Shape resident(std::uint32_t held_bytes) {
  constexpr std::uint32_t kPerSm = 48;  // more than an SM holds of any size
  return {"resident", "resident", Operation::kCount, Mechanism::kResident, 0, 0, 0, 0, 64, kPerSm, held_bytes};
}

std::vector<Shape> shapes(bool few) {
  std::vector<Shape> list;
  add_plain(list);
  add_staged(list);
  add_cp_async(list);
  add_rings(list, "read_bulk", Operation::kRead, Mechanism::kReadRing,
            {{512, 1, 1},  {512, 4, 1},   {512, 4, 4},   {512, 8, 4},   {512, 16, 4}, {512, 16, 8}, {2048, 1, 1},
             {2048, 2, 1}, {2048, 4, 1},  {2048, 4, 2},  {2048, 4, 3},  {2048, 4, 4}, {2048, 8, 3}, {2048, 8, 4},
             {2048, 8, 6}, {2048, 8, 8},  {8192, 1, 1},  {8192, 1, 2},  {8192, 2, 2}, {8192, 2, 3}, {8192, 4, 2},
             {8192, 4, 4}, {16384, 1, 1}, {16384, 1, 2}, {16384, 2, 2}, {16384, 2, 4}});
  add_rings(list, "read_tma", Operation::kRead, Mechanism::kTensorRing,
            {{1024, 1, 1},
             {2048, 1, 1},
             {2048, 4, 1},
             {2048, 4, 2},
             {2048, 4, 4},
             {2048, 8, 3},
             {2048, 8, 4},
             {2048, 8, 8},
             {8192, 2, 2},
             {8192, 4, 2},
             {8192, 4, 4},
             {16384, 2, 2}});
  for (const auto& [unroll, block, per_sm] :
       std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>{{1, 1024, 2},
                                                                            {2, 512, 4},
                                                                            {4, 256, 4},
                                                                            {4, 512, 2},
                                                                            {4, 1024, 1},
                                                                            {8, 512, 2},
                                                                            {1, 128, 0},
                                                                            {1, 256, 0},
                                                                            {1, 512, 0},
                                                                            {1, 1024, 0},
                                                                            {2, 256, 0},
                                                                            {2, 512, 0},
                                                                            {2, 1024, 0},
                                                                            {4, 256, 0}}) {
    list.push_back({per_sm == 0 ? "copy_tiles" : "copy_plain", "copy_plain_16", Operation::kCopy, Mechanism::kPlain, 16, unroll,
                    0, 0, block, per_sm});
  }
  add_evict_last(list);
  add_rings(list, "copy_bulk", Operation::kCopy, Mechanism::kCopyRing,
            {{2048, 4, 4}, {2048, 8, 4}, {2048, 8, 8}, {4096, 8, 4}, {8192, 4, 4}, {8192, 2, 8}, {16384, 2, 4}, {16384, 1, 8}});
  add_full(list);
  add_resident(list);
  if (!few) return list;
  std::set<std::tuple<std::string_view, std::string_view, std::uint32_t, std::uint32_t>> seen;
  std::erase_if(list, [&](const Shape& shape) {
    const std::uint32_t stages =
        shape.mechanism == Mechanism::kReadRing || shape.mechanism == Mechanism::kTensorRing ? 0 : shape.stages;
    return !seen.emplace(shape.variant, shape.stem, shape.unroll, stages).second;
  });
  return list;
}
