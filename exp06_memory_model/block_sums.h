// What every block of a grid sums up, by the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "input_sums.h"

// Of 512 bytes, which every shape's tile is a multiple of.
using ChunkSums = InputSums<512 / sizeof(std::uint32_t)>;

// The sum of tiles b, b + grid, b + 2 * grid ... of `bytes` of input 0, for each block b < grid.
std::vector<std::uint32_t> block_sums(const bench::Workbench& bench, std::uint64_t bytes, std::uint32_t tile_bytes,
                                      std::uint32_t grid, ChunkSums& sums);
