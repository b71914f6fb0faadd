#include "space.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

namespace {

constexpr std::uint32_t kSides[] = {64, 128, 256};
constexpr std::uint32_t kDepthBytes[] = {32, 64, 128};
constexpr std::uint32_t kGroupRows[] = {0, 8};
constexpr std::uint32_t kInvocations[] = {128, 256, 512};
constexpr std::uint32_t kVectorBytes = 16;
constexpr std::uint32_t kSharedBytes = 48U << 10;  // maxComputeSharedMemorySize of NVIDIA's driver
// A thread has 255 registers. With fewer than 16 words of sums the loads of the operands outweigh the products.
constexpr std::uint32_t kMostSumWords = 256;
constexpr std::uint32_t kFewestSumWords = 16;
// What has lost on an H200, in f16 with sums of f32 at 8,192: tiles of less than 128 x 128 take at least 1.4 times as long as
// the best of their kind, steps of 32 bytes or less lose by their barriers, more than 128 words of sums per thread are spilled,
// and with fewer than 32 a subgroup loads more than it multiplies.
constexpr std::uint32_t kSmallTile = 128 * 128;
constexpr std::uint32_t kShortStepBytes = 32;
constexpr std::uint32_t kManySumWords = 128;
constexpr std::uint32_t kFewSumWords = 32;
constexpr std::uint32_t kOrderSeed = 7;

struct Warps {
  std::uint32_t down, across;
};
constexpr Warps kWarps[] = {{2, 2}, {1, 4}, {4, 1}, {2, 4}, {4, 2}, {4, 4}};

// A kernel by what it does.
struct Kernel {
  bool of_workgroup = false;  // matrices of the whole workgroup
  bool staged = false;
  bool ahead = false;
  bool walk = false;  // product_walk.glsl
  bool twice = false;
  bool sized = false;
};
constexpr Kernel kKernels[] = {{.of_workgroup = true},
                               {.of_workgroup = true, .sized = true},
                               {.of_workgroup = true, .ahead = true, .sized = true},
                               {},
                               {.sized = true},
                               {.staged = true},
                               {.staged = true, .sized = true},
                               {.staged = true, .walk = true, .sized = true},
                               {.staged = true, .walk = true, .twice = true, .sized = true}};

// "product_staged_rows_sized".
std::string stem_of(const Kernel& kernel, Layout b) {
  const char* const base = kernel.twice          ? "product_walk_double"
                           : kernel.walk         ? "product_walk"
                           : kernel.ahead        ? "product_ahead"
                           : kernel.of_workgroup ? "product_workgroup"
                           : kernel.staged       ? "product_staged"
                                                 : "product_tile";
  return fmt::format("{}{}{}", base, b == Layout::kByRows ? "_rows" : "", kernel.sized ? "_sized" : "");
}

// Cases name variants by views: of names that live as long as the program.
std::string_view variant_of(const Kernel& kernel, Layout b) {
  static std::set<std::string> names;
  return *names.insert(stem_of(kernel, b)).first;
}

Kernel kernel_of(const Shape& shape) {
  const std::string_view stem = shape.stem;
  const bool walk = stem.starts_with("product_walk");
  return {.of_workgroup = shape.down == 0,
          .staged = walk || stem.starts_with("product_staged"),
          .ahead = stem.starts_with("product_ahead"),
          .walk = walk,
          .twice = stem.starts_with("product_walk_double"),
          .sized = shape.sized};
}

// A thread's, in subgroups of 32.
std::uint32_t sum_words(const Shape& shape) {
  const std::uint32_t threads = shape.down == 0 ? shape.invocations : 32 * shape.down * shape.across;
  return shape.rows * shape.columns * bytes_of(shape.sums) / 4 / threads;
}

// Of product_tile.glsl and product_walk.glsl: what they copy in whole vectors, and keep in shared memory.
bool copies_fit(const Shape& shape, const Kernel& kernel) {
  const std::uint32_t elements = kVectorBytes / bytes_of(shape.in);  // in a vector
  const std::uint32_t threads = shape.block();
  const bool by_rows = shape.b == Layout::kByRows;
  const std::uint32_t pitch = shape.depth / elements + 1;
  const std::uint32_t rows_b = by_rows ? shape.depth : shape.columns;
  const std::uint32_t pitch_b = (by_rows ? shape.columns : shape.depth) / elements + 1;
  const bool whole =
      shape.rows * shape.depth / elements % threads == 0 && shape.columns * shape.depth / elements % threads == 0 &&
      shape.rows / shape.down % shape.matrix_rows == 0 && shape.columns / shape.across % shape.matrix_columns == 0 &&
      shape.depth * bytes_of(shape.in) % shape.matrix_bytes == 0;
  // A subgroup's matrix begins at a vector.
  const bool begins = shape.matrix_bytes % kVectorBytes == 0 &&
                      (!by_rows || shape.matrix_columns * bytes_of(shape.in) % kVectorBytes == 0) &&
                      (!kernel.staged || shape.matrix_columns * bytes_of(shape.sums) % kVectorBytes == 0);
  const std::uint32_t tiles = kernel.twice ? 2 : 1;
  if (!whole || !begins || tiles * (shape.rows * pitch + rows_b * pitch_b) * kVectorBytes > kSharedBytes) return false;
  if (!kernel.staged) return true;
  if (kernel.walk && (threads % (pitch - 1) != 0 || threads % (pitch_b - 1) != 0)) return false;
  // A subgroup's sums go through the tile of A: a row of its matrices at once, or with product_walk.glsl a half or a quarter.
  const std::uint32_t across = shape.columns / shape.across / shape.matrix_columns;
  for (const std::uint32_t parts : {1U, 2U, 4U}) {
    if (parts > 1 && !kernel.walk) return false;
    const std::uint32_t out_vectors = across / parts * shape.matrix_columns * bytes_of(shape.sums) / kVectorBytes;
    if (shape.down * shape.across * shape.matrix_rows * (out_vectors + 1) > shape.rows * pitch) continue;
    return across % parts == 0 && shape.matrix_rows * out_vectors % shape.subgroup == 0;
  }
  return false;
}

bool fits(const Shape& shape, const SearchGround& ground) {
  if (ground.size % shape.rows != 0 || ground.size % shape.columns != 0 || ground.size % shape.depth != 0) return false;
  const auto in = [](const auto& list, std::uint32_t one) { return std::ranges::count(list, one) != 0; };
  if (!in(kSides, shape.rows) || !in(kSides, shape.columns) || !in(kDepthBytes, shape.depth * bytes_of(shape.in))) return false;
  const std::uint32_t words = sum_words(shape);
  if (words < kFewestSumWords || words > kMostSumWords) return false;
  return shape.down == 0 || copies_fit(shape, kernel_of(shape));
}

bool has_lost(const Shape& shape) {
  const std::uint32_t words = sum_words(shape);
  const bool has_short_step = shape.depth * bytes_of(shape.in) <= kShortStepBytes && !kernel_of(shape).twice;
  return !shape.sized || shape.group_rows != 0 || shape.rows * shape.columns < kSmallTile || has_short_step ||
         words > kManySumWords || words < kFewSumWords || shape.down > 2 * shape.across || shape.across > 2 * shape.down;
}

// Of exp07's table, as the search has them.
bool is_in_exp07(const Shape& shape) {
  static const std::vector<Shape> table = shapes({});
  return std::ranges::any_of(table, [&](const Shape& own) {
    const bool is_vulkans =
        own.implementation == Implementation::kVulkan || (own.implementation == Implementation::kTwins && own.sized);
    return is_vulkans && own.in == shape.in && own.sums == shape.sums && own.b == shape.b && own.rows == shape.rows &&
           own.columns == shape.columns && own.depth == shape.depth && own.down == shape.down && own.across == shape.across &&
           own.block() == shape.block() && shape.group_rows == own.group_rows &&
           kernel_of(own).staged == kernel_of(shape).staged && !kernel_of(shape).ahead &&
           kernel_of(own).walk == kernel_of(shape).walk && kernel_of(own).twice == kernel_of(shape).twice &&
           !own.stem.starts_with("product_double");
  });
}

// Only a SIZED kernel of subgroups takes what the ground has of them.
Shape shape_of(const Kernel& kernel, Layout b, const SearchGround& ground) {
  const std::string_view variant = variant_of(kernel, b);
  const SearchGround own = kernel.sized && !kernel.of_workgroup ? ground : SearchGround{};
  return {.variant = variant,
          .stem = stem_of(variant, ground.types),
          .implementation = Implementation::kVulkan,
          .in = ground.types.in,
          .sums = ground.types.sums,
          .b = b,
          .sized = kernel.sized,
          .size = kernel.sized ? ground.size : 0,
          .matrix_rows = own.matrix_rows,
          .matrix_columns = own.matrix_columns,
          .matrix_bytes = own.matrix_bytes,
          .subgroup = own.subgroup};
}

// The same by another kernel, or with B in another layout.
Shape with(const Shape& shape, const Kernel& kernel, Layout b, const SearchGround& ground) {
  Shape other = shape_of(kernel, b, ground);
  other.rows = shape.rows;
  other.columns = shape.columns;
  other.depth = shape.depth;
  other.down = shape.down;
  other.across = shape.across;
  other.invocations = shape.invocations;
  other.group_rows = shape.group_rows;
  if (kernel.sized && shape.down != 0) other.matrix_columns = shape.matrix_columns;
  return other;
}

}  // namespace

std::string text_of(const Types& types) { return fmt::format("{}_{}", name_of(types.in), name_of(types.sums)); }

std::optional<Types> types_of(std::string_view text) {
  for (const Types& types : kSearchedTypes) {
    if (text_of(types) == text) return types;
  }
  return std::nullopt;
}

std::string name_of(const Shape& shape) {
  return fmt::format("{} {} {} {} {}x{} {}", shape.stem, shape.tile(), shape.warps(), shape.block(), shape.matrix_rows,
                     shape.matrix_columns, shape.group_rows);
}

std::vector<Shape> search_space(const SearchGround& ground) {
  std::vector<Shape> list;
  const auto add_if_fits = [&](Shape shape) {
    shape.invocations = shape.block();
    if (fits(shape, ground)) list.push_back(std::move(shape));
  };
  for (const Kernel& kernel : kKernels) {
    for (const Layout b : {Layout::kByColumns, Layout::kByRows}) {
      Shape shape = shape_of(kernel, b, ground);
      for (const std::uint32_t rows : kSides) {
        for (const std::uint32_t columns : kSides) {
          for (const std::uint32_t bytes : kDepthBytes) {
            for (const std::uint32_t group_rows : kGroupRows) {
              shape.rows = rows;
              shape.columns = columns;
              shape.depth = bytes / bytes_of(ground.types.in);
              shape.group_rows = group_rows;
              if (kernel.of_workgroup) {
                for (const std::uint32_t invocations : kInvocations) {
                  shape.invocations = invocations;
                  add_if_fits(shape);
                }
                continue;
              }
              for (const Warps& warps : kWarps) {
                shape.down = warps.down;
                shape.across = warps.across;
                add_if_fits(shape);
              }
            }
          }
        }
      }
    }
  }
  std::shuffle(list.begin(), list.end(), std::mt19937(kOrderSeed));
  if (ground.small_first) {
    std::ranges::stable_sort(
        list, {}, [](const Shape& shape) { return std::uint64_t{shape.rows} * shape.columns * shape.depth / shape.block(); });
    return list;
  }
  const auto others = std::stable_partition(list.begin(), list.end(), is_in_exp07);
  std::stable_partition(others, list.end(), [](const Shape& shape) { return !has_lost(shape); });
  return list;
}

std::vector<Shape> changes_of(const Shape& shape, const SearchGround& ground) {
  std::vector<Shape> list;
  const auto add = [&](Shape other) {
    other.invocations = other.block();
    if (fits(other, ground) && name_of(other) != name_of(shape)) list.push_back(std::move(other));
  };
  const Kernel kernel = kernel_of(shape);
  for (const Kernel& other : kKernels) {
    const int differences = int{other.staged != kernel.staged} + int{other.ahead != kernel.ahead} +
                            int{other.walk != kernel.walk} + int{other.twice != kernel.twice} +
                            int{other.sized != kernel.sized};
    if (other.of_workgroup == kernel.of_workgroup && differences == 1) add(with(shape, other, shape.b, ground));
  }
  add(with(shape, kernel, shape.b == Layout::kByRows ? Layout::kByColumns : Layout::kByRows, ground));
  const auto change = [&](std::uint32_t Shape::*what, std::initializer_list<std::uint32_t> to) {
    for (const std::uint32_t value : to) {
      Shape other = shape;
      other.*what = value;
      add(other);
    }
  };
  change(&Shape::group_rows, {0, 4, 8, 16});
  change(&Shape::rows, {shape.rows / 2, shape.rows * 2});
  change(&Shape::columns, {shape.columns / 2, shape.columns * 2});
  change(&Shape::depth, {shape.depth / 2, shape.depth * 2});
  if (shape.down == 0) {
    change(&Shape::invocations, {shape.invocations / 2, shape.invocations * 2});
    return list;
  }
  if (shape.sized) change(&Shape::matrix_columns, {ground.matrix_columns, ground.matrix_columns / 2});
  for (const Warps& warps : kWarps) {
    Shape other = shape;
    other.down = warps.down;
    other.across = warps.across;
    add(other);
  }
  return list;
}
