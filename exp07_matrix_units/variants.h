// The ladder of products, as a table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "numbers.h"

enum class Implementation : std::uint8_t {
  kTwins,   // the same kernel in both APIs
  kVulkan,  // by Vulkan alone
  kCuda,    // by CUDA alone
  kTensor,  // likewise, through tensor maps, by persistent blocks
  kCublas,
  kCublasLt,  // by the fastest of the algorithms that it proposes
};

bool is_library(Implementation implementation);

// One kernel's shape.
struct Shape {
  std::string_view variant;
  std::string stem;
  Implementation implementation;
  Number in;
  Number sums;
  std::uint32_t rows = 0;  // of a block's tile of C; 0: the library's affair
  std::uint32_t columns = 0;
  std::uint32_t depth = 0;  // of K, a step
  std::uint32_t down = 0;   // warps over the tile; 0: the tile is the whole workgroup's
  std::uint32_t across = 0;
  std::uint32_t stages = 0;   // tiles of a ring in shared memory; 0: no ring
  std::uint32_t cluster = 0;  // blocks that share tiles
  std::uint32_t parts = 1;    // K is so many times less than the rows of C
  Layout b = Layout::kByColumns;
  std::uint32_t invocations = 256;  // that share a workgroup's matrices
  std::uint32_t group_rows = 0;     // GLSL's order of tiles: see glsl/order.glsl
  // Kernels that are SIZED: for matrices of one size, known when the kernel is compiled (0: any).
  bool sized = false;
  std::uint32_t size = 0;
  // Of a subgroup's matrices; only a SIZED kernel takes another shape, or subgroups of another size.
  std::uint32_t matrix_rows = 16;
  std::uint32_t matrix_columns = 16;
  std::uint32_t matrix_bytes = 32;  // of a row of A's
  std::uint32_t subgroup = 32;

  std::uint32_t block() const;
  std::string entry() const;           // CUDA's; of a sized kernel its size is a part
  std::uint32_t shared_bytes() const;  // CUDA's dynamic
  std::string tile() const;            // "128x128x32"; "" of a library
  std::string warps() const;           // "2x4"
  std::string matrix() const;          // VulkanLaunch::matrix
  bench::VulkanLaunch::WorkgroupMatrix workgroup_matrix() const;
  std::vector<std::uint32_t> constants() const;  // GLSL's
};

// The same work by 8-bit matrices that are half as deep, for devices that list only those (AMD's); none where `stem` has no
// such kernel in `kernels`.
bench::VulkanLaunch::OtherMatrix halves(std::span<const bench::KernelImages> kernels, std::string_view stem,
                                        const Types& types);

// A block is divided into matrices by subgroups. Throws Skip where the device's have another size.
void want_subgroups(const bench::DeviceInfo& device, std::uint32_t size = 32);

// "product_tile_f16_f32": of a kernel for these types, as its files are named.
std::string stem_of(std::string_view kernel, const Types& types);

// Whether the variant is there to tell where the gap between the two APIs' plain tiles lies, by one difference from
// product_tile.
bool seeks_cause(std::string_view variant);

// Whether the variant is a shape that search/ found to be the fastest of its types, or that kernel in other shapes or by other
// instructions.
bool was_found(std::string_view variant);

// All of them, f16 with sums of f32 first: a smoke run has all of them, too, whose kernels --dump-isa writes down. A coarse
// sweep and a software device have the first of every variant and type, and none that seeks a cause.
std::vector<Shape> shapes(const bench::Plan& plan);
