#include "variants.h"

#include <fmt/format.h>

#include <set>

#include "params.h"

namespace {

constexpr std::uint32_t kBarrierBytes = 8;
constexpr std::uint32_t kKi = 1024;

void add_overlaps(std::vector<Shape>& list, std::uint32_t steps) {
  const auto add = [&](std::string_view variant, std::string_view stem, Mechanism mechanism, std::uint32_t block,
                       std::uint32_t per_sm, std::uint32_t stages) {
    const std::string entry = mechanism == Mechanism::kCpAsync ? fmt::format("{}_{}", stem, stages) : std::string(stem);
    list.push_back({variant, stem, entry, mechanism, block, per_sm, stages, EXP06_TILE_BYTES, "", steps});
  };
  add("overlap_none", "overlap_none", Mechanism::kPlain, EXP06_BLOCK, 1, 0);
  add("overlap_plain", "overlap_plain", Mechanism::kPlain, EXP06_BLOCK, 1, 0);
  add("overlap_full", "overlap_plain", Mechanism::kPlain, EXP06_BLOCK, 0, 0);
  add("overlap_staged", "overlap_staged", Mechanism::kPlain, EXP06_BLOCK, 1, 0);
  add("overlap_prefetched", "overlap_prefetched", Mechanism::kPlain, EXP06_BLOCK, 1, 0);
  add("overlap_plain_writable", "overlap_plain_writable", Mechanism::kPlain, EXP06_BLOCK, 1, 0);
  add("overlap_prefetched_writable", "overlap_prefetched_writable", Mechanism::kPlain, EXP06_BLOCK, 1, 0);
  for (const std::uint32_t stages : {2U, 3U, 4U, 8U})
    add("overlap_cp_async", "overlap_cp_async", Mechanism::kCpAsync, EXP06_BLOCK, 1, stages);
  for (const std::uint32_t stages : {2U, 3U, 4U, 8U})
    add("overlap_tma", "overlap_tma", Mechanism::kTensor, EXP06_BLOCK, 1, stages);
  for (const std::uint32_t stages : {2U, 4U})
    add("overlap_producer", "overlap_producer", Mechanism::kBulk, EXP06_BLOCK + 32, 1, stages);
}

// How a persistent grid, or one without end, is cut into blocks.
struct Ring {
  std::uint32_t per_sm, stages, chunk_kib;
};

void add_copies(std::vector<Shape>& list) {
  const auto add = [&](std::string_view variant, std::string_view stem, const std::string& entry, Mechanism mechanism,
                       std::uint32_t block, const Ring& ring, std::string_view hint = "") {
    list.push_back(
        {variant, stem, entry, mechanism, block, ring.per_sm, ring.stages, ring.chunk_kib * kKi, hint, Shape::kNoSteps});
  };
  for (const std::uint32_t unroll : {1U, 2U, 4U})
    add("copy_plain", "copy_plain", fmt::format("copy_plain_{}", unroll), Mechanism::kPlain, 256, {0, 0, 4 * unroll});

  const auto add_bulk = [&](std::string_view variant, std::string_view stem, const Ring& ring, std::string_view hint = "") {
    const std::string base = variant == "copy_bulk" ? "copy_bulk_interleaved" : std::string(variant);
    const std::string suffix = hint.empty() ? std::string() : fmt::format("_{}", hint);
    add(variant, stem, fmt::format("{}_{}{}", base, ring.stages, suffix), Mechanism::kBulk, 32, ring, hint);
  };
  for (const Ring& ring : std::vector<Ring>{{1, 4, 16}, {1, 8, 16}, {2, 4, 16}, {1, 4, 32}, {4, 4, 8}, {8, 4, 4}, {1, 2, 64}})
    add_bulk("copy_bulk", "copy_bulk", ring);
  add_bulk("copy_bulk_contiguous", "copy_bulk", {2, 4, 16});
  for (const Ring& ring : std::vector<Ring>{{1, 8, 16}, {2, 4, 16}, {4, 4, 8}, {8, 2, 8}, {1, 2, 64}})
    add_bulk("copy_bulk_taken", "copy_bulk", ring);
  for (const std::string_view hint : {"read_first", "both_first"}) add_bulk("copy_bulk_taken", "copy_bulk", {2, 4, 16}, hint);
  for (const Ring& ring :
       std::vector<Ring>{{0, 1, 2}, {0, 2, 2}, {0, 1, 4}, {0, 1, 8}, {0, 1, 16}, {0, 1, 64}, {0, 2, 16}, {0, 4, 8}})
    add_bulk("copy_bulk_once", "copy_bulk_once", ring);
  for (const std::string_view hint : {"read_first", "both_first"})
    add_bulk("copy_bulk_once", "copy_bulk_once", {0, 1, 16}, hint);

  const auto add_tma = [&](std::string_view variant, std::string_view base, const Ring& ring) {
    add(variant, "copy_tma", fmt::format("{}_{}", base, ring.stages), Mechanism::kTensor, 32, ring);
  };
  add_tma("copy_tma", "copy_tma_interleaved", {2, 4, 16});
  add_tma("copy_tma_taken", "copy_tma_taken", {2, 4, 16});
  for (const Ring& ring : std::vector<Ring>{{0, 1, 4}, {0, 1, 8}, {0, 1, 16}, {0, 2, 16}})
    add_tma("copy_tma_once", "copy_tma_once", ring);

  for (const std::string_view variant : {"copy_half_in", "copy_half_out"}) {
    for (const std::uint32_t kib : {4U, 8U, 16U})
      add(variant, "copy_half", fmt::format("{}_{}", variant, kib / 2), Mechanism::kBulk, 128, {0, 1, kib});
  }
}

}  // namespace

std::uint32_t Shape::shared_bytes() const {
  // The copies' barriers lie in static shared memory.
  const std::uint32_t barriers = copies() || mechanism == Mechanism::kCpAsync ? 0 : variant == "overlap_producer" ? 2 : 1;
  return stages * (chunk_bytes + barriers * kBarrierBytes);
}

std::vector<Shape> shapes(bool few) {
  std::vector<Shape> list;
  for (const std::uint32_t steps : kChainSteps) {
    if (!few || steps <= 8) add_overlaps(list, steps);
  }
  add_copies(list);
  if (!few) return list;
  std::set<std::pair<std::string, std::uint32_t>> seen;
  std::erase_if(list, [&](const Shape& shape) {
    return !seen.emplace(fmt::format("{} {}", shape.variant, shape.entry), shape.steps).second;
  });
  return list;
}
