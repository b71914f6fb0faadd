// In which order a product's tiles are made: by groups of tile rows, and in a group column by column. What runs at the same
// time then lies in nearly a square of C, and reads the least of A and B from the L2.
#pragma once

#include "core/base/shader_types.h"

struct TileAt {
  uint row;
  uint column;
};

// Tile `number` of rows x columns; a group has GROUP rows, the last may have fewer.
template <uint GROUP>
__device__ __forceinline__ TileAt tile_at(uint number, uint rows, uint columns) {
  const uint group = number / (GROUP * columns);
  const uint within = number % (GROUP * columns);
  const uint first = group * GROUP;
  const uint high = min(GROUP, rows - first);
  return {first + within % high, within / high};
}
