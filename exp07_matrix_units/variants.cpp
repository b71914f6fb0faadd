#include "variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "cuda/tensor_params.h"

namespace {

constexpr std::uint32_t kWorkgroup = 256;  // invocations that share a matrix
constexpr std::uint32_t kPadding = 16;     // bytes of a row in shared memory

struct Tile {
  std::uint32_t rows, columns, depth, down, across;
};

// The search space of tiles in shared memory; the first is everybody's. Two operands' tiles with their padding fit Vulkan's 48
// KiB.
constexpr Tile kTiles[] = {{128, 128, 32, 2, 4}, {128, 128, 64, 2, 4}, {128, 128, 32, 2, 2},
                           {64, 64, 32, 2, 2},   {128, 256, 32, 2, 4}, {256, 128, 32, 4, 2}};
// The same by offsets: each API's fastest of them.
constexpr Tile kOffsetTiles[] = {{128, 128, 64, 2, 4}, {256, 128, 32, 4, 2}};
// The fastest of both.
constexpr Tile kFastestTile = {128, 128, 64, 2, 4};
constexpr std::uint32_t kShallow = 4;
// Of two tiles of each operand in turn.
constexpr Tile kDoubleTiles[] = {{128, 128, 32, 2, 4}, {128, 128, 32, 2, 2}, {64, 64, 32, 2, 2}, {64, 128, 32, 2, 2}};
// Of a workgroup's matrices.
constexpr Tile kWorkgroupTiles[] = {
    {128, 256, 64, 0, 0}, {128, 128, 64, 0, 0}, {256, 128, 64, 0, 0}, {128, 256, 32, 0, 0}, {128, 128, 32, 0, 0}};

// The fastest shapes that search/ found at 8,192 in each type, on an H200 and on an H100 by driver 580.159.04. Those that are
// sized know the matrices' size when they are compiled. product_walk with B by rows, which is in both APIs, has the shape of
// product_staged_rows_sized, and differs in how it computes addresses; with two tiles in turn it is half as deep. With B by
// columns it is Vulkan's alone, and the fastest with sums of f32 and of 8 bits.
struct Found {
  std::string_view variant;
  std::string_view kernel;
  Types types;
  Tile tile;
  Layout b;
  std::uint32_t invocations;
  bool sized = false;
};
constexpr Found kFound[] = {
    {"product_workgroup_rows_128",
     "product_workgroup_rows",
     {Number::kF16, Number::kF32},
     {128, 128, 64, 0, 0},
     Layout::kByRows,
     128},
    {"product_workgroup_rows_128",
     "product_workgroup_rows",
     {Number::kF16, Number::kF16},
     {128, 256, 64, 0, 0},
     Layout::kByRows,
     128},
    {"product_staged_rows",
     "product_staged_rows",
     {Number::kF16, Number::kF16},
     {256, 256, 32, 2, 4},
     Layout::kByRows,
     kWorkgroup},
    {"product_workgroup_rows_128",
     "product_workgroup_rows",
     {Number::kBf16, Number::kF32},
     {128, 128, 64, 0, 0},
     Layout::kByRows,
     128},
    {"product_workgroup_128", "product_workgroup", {Number::kS8, Number::kS32}, {128, 128, 128, 0, 0}, Layout::kByColumns, 128},
    {"product_workgroup_sized",
     "product_workgroup_sized",
     {Number::kF16, Number::kF32},
     {128, 128, 64, 0, 0},
     Layout::kByColumns,
     128,
     true},
    {"product_staged_rows_sized",
     "product_staged_rows_sized",
     {Number::kF16, Number::kF16},
     {256, 256, 32, 2, 4},
     Layout::kByRows,
     kWorkgroup,
     true},
    {"product_walk_rows_sized",
     "product_walk_rows_sized",
     {Number::kF16, Number::kF16},
     {256, 256, 32, 2, 4},
     Layout::kByRows,
     kWorkgroup,
     true},
    {"product_walk_rows_sized",
     "product_walk_rows_sized",
     {Number::kF16, Number::kF16},
     {128, 256, 32, 1, 4},
     Layout::kByRows,
     128,
     true},
    {"product_walk_double_rows_sized",
     "product_walk_double_rows_sized",
     {Number::kF16, Number::kF16},
     {256, 256, 16, 2, 4},
     Layout::kByRows,
     kWorkgroup,
     true},
    {"product_workgroup_sized",
     "product_workgroup_sized",
     {Number::kBf16, Number::kF32},
     {128, 128, 64, 0, 0},
     Layout::kByColumns,
     128,
     true},
    {"product_walk_sized",
     "product_walk_sized",
     {Number::kF16, Number::kF32},
     {128, 128, 64, 2, 2},
     Layout::kByColumns,
     128,
     true},
    {"product_walk_sized",
     "product_walk_sized",
     {Number::kS8, Number::kS32},
     {128, 128, 128, 2, 2},
     Layout::kByColumns,
     128,
     true},
};

// product_walk with sums of f32, of which 256 x 256 would fill the registers.
constexpr Tile kWalkTiles[] = {{128, 256, 32, 2, 4}, {256, 128, 32, 4, 2}, {128, 128, 32, 2, 2}, {256, 128, 32, 4, 4}};
// The same by mma.sync, in CUDA alone: tiles may exceed 48 KiB.
constexpr std::string_view kWalkMma = "product_walk_mma_rows_sized";
constexpr Tile kWalkMmaTiles[] = {{128, 256, 32, 2, 4}, {128, 256, 64, 2, 4}, {256, 128, 64, 4, 2}, {128, 128, 64, 2, 4}};
constexpr Tile kWalkMmaTileF16 = {256, 256, 32, 2, 4};

bool walks(std::string_view variant) { return variant.starts_with("product_walk"); }

void add_types(std::vector<Shape>& list, const Types& types) {
  const bool first = types.in == Number::kF16 && types.sums == Number::kF32;
  const bool narrow = bytes_of(types.in) == 1;
  const auto add = [&](std::string_view variant, Implementation implementation, const Tile& tile, std::uint32_t stages = 0,
                       std::uint32_t cluster = 0) {
    const bool shallow = variant == "product_shallow";
    const std::string stem = implementation == Implementation::kTensor ? "product_wgmma"
                             : is_library(implementation)              ? ""
                                                                       : stem_of(shallow ? "product_tile" : variant, types);
    list.push_back({variant, stem, implementation, types.in, types.sums, tile.rows, tile.columns, tile.depth, tile.down,
                    tile.across, stages, cluster, shallow ? kShallow : 1, Layout::kByColumns, kWorkgroup});
  };
  for (const Tile& tile : kTiles) {
    if (first || &tile == kTiles) add("product_tile", Implementation::kTwins, tile);
  }
  if (first) {
    for (const Tile& tile : kOffsetTiles) add("product_offsets", Implementation::kTwins, tile);
    add("product_shallow", Implementation::kTwins, kFastestTile);
    add("product_staged", Implementation::kTwins, kFastestTile);
    for (const Tile& tile : kDoubleTiles) add("product_double", Implementation::kVulkan, tile);
  }
  for (const Tile& tile : kWorkgroupTiles) {
    if (first || &tile == kWorkgroupTiles) add("product_workgroup", Implementation::kVulkan, tile);
  }
  if (first) add("product_clamped", Implementation::kVulkan, kWorkgroupTiles[0]);
  for (const Found& found : kFound) {
    if (found.types.in != types.in || found.types.sums != types.sums) continue;
    const bool is_twin = walks(found.variant) && found.b == Layout::kByRows;
    add(found.variant, is_twin ? Implementation::kTwins : Implementation::kVulkan, found.tile);
    list.back().stem = stem_of(found.kernel, types);
    list.back().b = found.b;
    list.back().invocations = found.invocations;
    list.back().sized = found.sized;
  }
  const auto add_walk = [&](std::string_view variant, Implementation implementation, const Tile& tile) {
    add(variant, implementation, tile);
    list.back().b = Layout::kByRows;
    list.back().sized = true;
  };
  if (first) {
    for (const Tile& tile : kWalkTiles) add_walk("product_walk_rows_sized", Implementation::kTwins, tile);
    for (const Tile& tile : kWalkMmaTiles) add_walk(kWalkMma, Implementation::kCuda, tile);
  }
  if (types.sums == Number::kF16) add_walk(kWalkMma, Implementation::kCuda, kWalkMmaTileF16);
  add("product_mma", Implementation::kCuda, {256, 128, narrow ? 64U : 32U, 4, 2}, 4);
  add("product_wgmma", Implementation::kTensor, {128, 256, 128 / bytes_of(types.in), 0, 0}, 0, 2);
  if (first) add("product_wgmma_alone", Implementation::kTensor, {128, 256, 64, 0, 0});
  add("product_cublas", Implementation::kCublas, {});
  add("product_cublaslt", Implementation::kCublasLt, {});
}

}  // namespace

std::string stem_of(std::string_view kernel, const Types& types) {
  return fmt::format("{}_{}_{}", kernel, name_of(types.in), name_of(types.sums));
}

std::uint32_t Shape::block() const {
  if (implementation == Implementation::kTensor) return EXP07_WGMMA_BLOCK;
  return down == 0 ? invocations : subgroup * down * across;
}

std::string Shape::entry() const {
  if (implementation == Implementation::kTensor) return stem_of(variant, {in, sums});
  std::string name = fmt::format("{}_{}_{}_{}_{}_{}", stem, rows, columns, depth, down, across);
  if (stages != 0) name += fmt::format("_{}", stages);
  if (sized && implementation != Implementation::kVulkan) name += fmt::format("_{}", size);
  return name;
}

std::uint32_t Shape::shared_bytes() const {
  if (implementation == Implementation::kTensor) return EXP07_WGMMA_SHARED;
  if (!walks(variant)) return stages * (rows + columns) * depth * bytes_of(in);
  const bool by_rows = b == Layout::kByRows;
  const auto tile = [&](std::uint32_t tile_rows, std::uint32_t width) { return tile_rows * (width * bytes_of(in) + kPadding); };
  const std::uint32_t both = tile(rows, depth) + tile(by_rows ? depth : columns, by_rows ? columns : depth);
  return variant.starts_with("product_walk_double") ? 2 * both : both;
}

std::string Shape::tile() const { return rows == 0 ? "" : fmt::format("{}x{}x{}", rows, columns, depth); }

std::string Shape::warps() const { return down == 0 ? "" : fmt::format("{}x{}", down, across); }

std::string Shape::matrix() const {
  if (down == 0) return "";
  return fmt::format("{}x{}x{} {} {}", matrix_rows, matrix_columns, matrix_bytes / bytes_of(in), name_of(in), name_of(sums));
}

bench::VulkanLaunch::WorkgroupMatrix Shape::workgroup_matrix() const {
  if (down != 0) return {};
  return {rows, columns, depth, fmt::format("{} {}", name_of(in), name_of(sums))};
}

std::vector<std::uint32_t> Shape::constants() const {
  std::vector<std::uint32_t> list = {rows, columns, depth};
  if (down != 0) list.insert(list.end(), {down, across});
  list.push_back(group_rows);
  if (!sized) return list;
  list.push_back(size);
  if (down != 0) list.insert(list.end(), {matrix_rows, matrix_columns, matrix_bytes / bytes_of(in), subgroup});
  return list;
}

bench::VulkanLaunch::OtherMatrix halves(std::span<const bench::KernelImages> kernels, std::string_view stem,
                                        const Types& types) {
  const std::string other = fmt::format("{}_halves", stem);
  const auto is_other = [&](const bench::KernelImages& one) { return one.stem == other; };
  if (bytes_of(types.in) != 1 || std::ranges::none_of(kernels, is_other)) return {};
  return {fmt::format("16x16x16 {} {}", name_of(types.in), name_of(types.sums)), {.from = kernels, .stem = other}};
}

void want_subgroups(const bench::DeviceInfo& device, std::uint32_t size) {
  if (device.subgroup_size != size)
    throw bench::Skip("subgroups of {} wanted, the device's are of {}", size, device.subgroup_size);
}

bool is_library(Implementation implementation) {
  return implementation == Implementation::kCublas || implementation == Implementation::kCublasLt;
}

bool seeks_cause(std::string_view variant) {
  return variant == "product_offsets" || variant == "product_shallow" || variant == "product_staged";
}

bool was_found(std::string_view variant) {
  return variant == kWalkMma || std::ranges::any_of(kFound, [&](const Found& found) { return found.variant == variant; });
}

std::vector<Shape> shapes(const bench::Plan& plan) {
  using enum Number;
  std::vector<Shape> list;
  for (const Types& types : {Types{kF16, kF32}, Types{kF16, kF16}, Types{kBf16, kF32}, Types{kS8, kS32}})
    add_types(list, types);
  if (!plan.quick && !plan.cpu) return list;
  std::set<std::string> seen;
  std::erase_if(list, [&](const Shape& shape) {
    return seeks_cause(shape.variant) ||
           !seen.insert(fmt::format("{} {} {}", shape.variant, name_of(shape.in), name_of(shape.sums))).second;
  });
  return list;
}
