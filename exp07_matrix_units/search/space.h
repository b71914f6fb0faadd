// The shapes of Vulkan's products that the search tries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "inputs.h"
#include "variants.h"

// What a search takes as given.
struct SearchGround {
  Types types;
  Data data = Data::kNormal;
  std::uint32_t size = 8192;    // rows and columns of A, B and C
  std::uint32_t subgroup = 32;  // invocations
  // Of a subgroup's matrices, as the device has them: rows, columns, and bytes of a row of A's.
  std::uint32_t matrix_rows = 16;
  std::uint32_t matrix_columns = 16;
  std::uint32_t matrix_bytes = 32;
  bool small_first = false;  // those that a subgroup has least to do in come first: for a software device
};

inline constexpr Types kSearchedTypes[] = {
    {Number::kF16, Number::kF32}, {Number::kF16, Number::kF16}, {Number::kBf16, Number::kF32}, {Number::kS8, Number::kS32}};

// "f16_f32".
std::string text_of(const Types& types);
// Of a name as text_of() gives it; nothing for any other.
std::optional<Types> types_of(std::string_view text);

// For both kinds of kernel (a workgroup's matrices, a subgroup's), both layouts of B, kernels for any size and for this one,
// stores of sums through shared memory and without, addresses that advance, one tile in shared memory and two in turn, and two
// orders of tiles: all tiles of 64 to 256 rows and columns and 16 to 64 elements (8-bit types: 32 to 128) deep, by 128, 256 and
// 512 invocations, whose sums fit the registers and whose operands fit 48 KiB of shared memory. First come exp07's own, then
// those that have not lost before, then all others; within each of these, in an order without any pattern, so that a search
// that is cut short has seen some of every kind.
std::vector<Shape> search_space(const SearchGround& ground);

// The shapes of the space that differ from this one in one thing.
std::vector<Shape> changes_of(const Shape& shape, const SearchGround& ground);

// Tells a shape from every other of its types.
std::string name_of(const Shape& shape);
