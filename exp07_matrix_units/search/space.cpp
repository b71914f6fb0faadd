#include "space.h"

namespace {

constexpr Types kSearchedTypes[] = {
    {Number::kF16, Number::kF32}, {Number::kF16, Number::kF16}, {Number::kBf16, Number::kF32}, {Number::kS8, Number::kS32}};
constexpr std::uint32_t kSides[] = {64, 128, 256};
constexpr std::uint32_t kDepthBytes[] = {32, 64, 128};
constexpr std::uint32_t kGroupRows[] = {0, 8};
constexpr std::uint32_t kVectorBytes = 16;
constexpr std::uint32_t kMatrixRows = 16;             // of a subgroup's matrix of sums
constexpr std::uint32_t kInvocationsOfSubgroup = 32;  // of a subgroup
constexpr std::uint32_t kSharedBytes = 48U << 10;     // maxComputeSharedMemorySize of NVIDIA's driver
// A thread has 255 registers. With fewer than 16 words of sums the loads of the operands outweigh the products.
constexpr std::uint32_t kMostSumWords = 256;
constexpr std::uint32_t kFewestSumWords = 16;

struct Warps {
  std::uint32_t down, across;
};
constexpr Warps kWarps[] = {{2, 2}, {1, 4}, {4, 1}, {2, 4}, {4, 2}, {4, 4}};

bool sums_fit(const Shape& shape) {
  const std::uint32_t words = shape.rows * shape.columns * bytes_of(shape.sums) / 4 / shape.block();
  return words >= kFewestSumWords && words <= kMostSumWords;
}

// Of product_tile.glsl: what it copies in whole vectors, and keeps in shared memory.
bool copies_fit(const Shape& shape, bool staged) {
  const std::uint32_t elements = kVectorBytes / bytes_of(shape.in);  // in a vector
  const std::uint32_t threads = shape.block();
  const bool by_rows = shape.b == Layout::kByRows;
  const std::uint32_t pitch = shape.depth / elements + 1;
  const std::uint32_t rows_b = by_rows ? shape.depth : shape.columns;
  const std::uint32_t pitch_b = (by_rows ? shape.columns : shape.depth) / elements + 1;
  const bool whole = shape.rows * shape.depth / elements % threads == 0 &&
                     shape.columns * shape.depth / elements % threads == 0 && shape.rows / shape.down % kMatrixRows == 0 &&
                     shape.columns / shape.across % kMatrixRows == 0;
  if (!whole || (shape.rows * pitch + rows_b * pitch_b) * kVectorBytes > kSharedBytes) return false;
  if (!staged) return true;
  const std::uint32_t out_vectors = shape.columns / shape.across * bytes_of(shape.sums) / kVectorBytes;
  return threads / kInvocationsOfSubgroup * kMatrixRows * (out_vectors + 1) <= shape.rows * pitch &&
         kMatrixRows * out_vectors % kInvocationsOfSubgroup == 0;
}

struct Kernel {
  std::string_view variant;
  Layout b;
  bool staged;
};
constexpr Kernel kWorkgroupKernels[] = {{"product_workgroup", Layout::kByColumns, false},
                                        {"product_workgroup_rows", Layout::kByRows, false}};
constexpr Kernel kTileKernels[] = {{"product_tile", Layout::kByColumns, false},
                                   {"product_tile_rows", Layout::kByRows, false},
                                   {"product_staged", Layout::kByColumns, true},
                                   {"product_staged_rows", Layout::kByRows, true}};

Shape shape_of(const Kernel& kernel, const Types& types) {
  return {.variant = kernel.variant,
          .stem = stem_of(kernel.variant, types),
          .implementation = Implementation::kVulkan,
          .in = types.in,
          .sums = types.sums,
          .b = kernel.b};
}

}  // namespace

std::vector<Shape> search_space() {
  std::vector<Shape> list;
  const auto add_orders = [&](Shape shape) {
    for (const std::uint32_t group : kGroupRows) {
      shape.group_rows = group;
      list.push_back(shape);
    }
  };
  for (const Types& types : kSearchedTypes) {
    const auto each_tile = [&](const Kernel& kernel, const auto& add) {
      Shape shape = shape_of(kernel, types);
      for (const std::uint32_t rows : kSides) {
        for (const std::uint32_t columns : kSides) {
          for (const std::uint32_t bytes : kDepthBytes) {
            shape.rows = rows;
            shape.columns = columns;
            shape.depth = bytes / bytes_of(types.in);
            add(shape);
          }
        }
      }
    };
    for (const Kernel& kernel : kWorkgroupKernels) {
      each_tile(kernel, [&](Shape shape) {
        for (const std::uint32_t invocations : {128U, 256U, 512U}) {
          shape.invocations = invocations;
          if (sums_fit(shape)) add_orders(shape);
        }
      });
    }
    for (const Kernel& kernel : kTileKernels) {
      each_tile(kernel, [&](Shape shape) {
        for (const Warps& warps : kWarps) {
          shape.down = warps.down;
          shape.across = warps.across;
          shape.invocations = shape.block();
          if (sums_fit(shape) && copies_fit(shape, kernel.staged)) add_orders(shape);
        }
      });
    }
  }
  return list;
}
