// Exclusive scan. 64 bytes read and 64 written a thread and tile.
#pragma once

#include "block.cuh"

// A tile as it was read, and of each vector what stands before it in the tile.
template <class Block>
struct Tile {
  uint4 words[EXP09_ROWS];
  uint4 before;

  // Returns the tile's sum.
  __device__ __forceinline__ uint scan(typename Block::Shared& shared, const uint4* input, uint tile,
                                       const ScanParams& params) {
    uint own[EXP09_ROWS];
#pragma unroll
    for (uint row = 0; row < EXP09_ROWS; ++row) {
      const uint i = tile * EXP09_TILE_VECTORS + Block::place(row);
      words[row] = i < params.vectors ? input[i] : make_uint4(0, 0, 0, 0);
      own[row] = sum_of(words[row]);
    }
    uint total;
    before = Block::block_exclusive(shared, make_uint4(own[0], own[1], own[2], own[3]), total);
    return total;
  }

  __device__ __forceinline__ void store(uint4* results, uint tile, uint before_tile, const ScanParams& params) const {
    const uint before_row[EXP09_ROWS] = {before.x, before.y, before.z, before.w};
#pragma unroll
    for (uint row = 0; row < EXP09_ROWS; ++row) {
      const uint i = tile * EXP09_TILE_VECTORS + Block::place(row);
      const uint4 v = words[row];
      const uint first = before_tile + before_row[row];
      if (i < params.vectors) results[i] = make_uint4(first, first + v.x, first + v.x + v.y, first + v.x + v.y + v.z);
    }
  }
};

// One block scans tile after tile.
template <class Block>
__device__ __forceinline__ void scan_one_block(const uint4* words, uint4* results, const ScanParams& params) {
  __shared__ typename Block::Shared shared;
  Tile<Block> mine;
  uint before = 0;
#pragma unroll 1
  for (uint tile = 0; tile * EXP09_TILE_VECTORS < params.vectors; ++tile) {
    const uint total = mine.scan(shared, words, tile, params);
    mine.store(results, tile, before, params);
    before += total;
    __syncthreads();  // the next tile takes the same shared memory
  }
}

// A block scans one tile, and adds what stands before the tile: a word of the third buffer, from an earlier launch.
template <class Block>
__device__ __forceinline__ void scan_and_add(const uint4* words, uint4* results, const uint* befores,
                                             const ScanParams& params) {
  __shared__ typename Block::Shared shared;
  Tile<Block> mine;
  const uint before = befores[blockIdx.x];
  mine.scan(shared, words, blockIdx.x, params);
  mine.store(results, blockIdx.x, before, params);
}

// What tiles publish, as 64 bits: flag and sum, relaxed.
struct Packed {
  unsigned long long* at;

  __device__ __forceinline__ Packed(uint* state, const ScanParams&)
      : at(reinterpret_cast<unsigned long long*>(state + EXP09_FIRST)) {}
  __device__ __forceinline__ void publish(uint tile, uint flag, uint sum) const {
    const unsigned long long both = static_cast<unsigned long long>(flag) << 32 | sum;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(at + tile)), "l"(both) : "memory");
  }
  __device__ __forceinline__ uint poll(uint tile, uint& sum) const {
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(__cvta_generic_to_global(at + tile)) : "memory");
    sum = static_cast<uint>(both);
    return static_cast<uint>(both >> 32);
  }
  __device__ __forceinline__ uint published(uint, uint, uint sum) const { return sum; }
};

// Three words a tile, an array each: flag, sum of the tile, sum up to its end. Neither sum is ever written twice in a launch.
// The flag goes with release and acquire.
struct Ordered {
  uint* at;
  uint log2_tiles;

  __device__ __forceinline__ Ordered(uint* state, const ScanParams& params)
      : at(state + EXP09_FIRST), log2_tiles(params.log2_tiles) {}
  __device__ __forceinline__ uint* slot(uint kind, uint tile) const { return at + (kind << log2_tiles) + tile; }
  __device__ __forceinline__ void publish(uint tile, uint flag, uint sum) const {
    *slot(flag & 3, tile) = sum;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(slot(0, tile))), "r"(flag) : "memory");
  }
  __device__ __forceinline__ uint poll(uint tile, uint& sum) const {
    uint flag;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(__cvta_generic_to_global(slot(0, tile))) : "memory");
    sum = 0;
    return flag;
  }
  __device__ __forceinline__ uint published(uint tile, uint flag, uint) const { return *slot(flag & 3, tile); }
};

// By one warp: the sum of all words before the tile. Each lane watches one of the tiles before it, the nearest first. A wait
// ends when all of them have published something, or after params.spins polls: then the count of failures grows.
template <class Published>
__device__ __forceinline__ uint look_back(const Published& tiles, uint* state, uint tile, uint launch, uint spins) {
  uint sum = 0;
  int nearest = static_cast<int>(tile) - 1;
#pragma unroll 1
  for (;;) {
    const int mine = nearest - static_cast<int>(lane());
    uint flag = launch | EXP09_PREFIX;  // of what would stand before tile 0: nothing, and that is its whole prefix
    uint found = 0;
    uint spin = 0;
#pragma unroll 1
    for (; spin < spins; ++spin) {
      if (mine >= 0) flag = tiles.poll(mine, found);
      if (__all_sync(ALL_LANES, (flag & ~3u) == launch)) break;
    }
    if (spin == spins) {
      if (lane() == 0) atomicAdd(state + EXP09_FAILED, 1);
      return sum;
    }
    const uint value = mine >= 0 ? tiles.published(mine, flag, found) : 0;
    const uint prefixes = __ballot_sync(ALL_LANES, (flag & 3) == EXP09_PREFIX);
    const uint last = prefixes != 0 ? __ffs(prefixes) - 1 : WARP;
    sum += warp_sum(lane() <= last ? value : 0);
    if (prefixes != 0) return sum;
    nearest -= WARP;
  }
}

// A block scans one tile and finds what stands before it by looking back at what earlier tiles publish.
template <class Published>
__device__ __forceinline__ void scan_looking_back(const uint4* words, uint4* results, uint* state, const ScanParams& params) {
  __shared__ Subgroups::Shared shared;
  __shared__ uint block_ticket;
  __shared__ uint block_before;
  // A ticket, not the block's number: whoever holds a lower one has started, so that the wait is for a block that runs.
  if (thread() == 0) block_ticket = atomicAdd(state + EXP09_TICKET, 1);
  __syncthreads();
  const uint tile = block_ticket & (params.tiles - 1);
  const uint launch = EXP09_FLAG(block_ticket, params.log2_tiles);
  const Published tiles(state, params);
  Tile<Subgroups> mine;
  const uint total = mine.scan(shared, words, tile, params);
  if (warp() == 0) {
    if (lane() == 0) tiles.publish(tile, launch | (tile == 0 ? EXP09_PREFIX : EXP09_AGGREGATE), total);
    const uint before = tile == 0 ? 0 : look_back(tiles, state, tile, launch, params.spins);
    if (lane() == 0) {
      if (tile != 0) tiles.publish(tile, launch | EXP09_PREFIX, before + total);
      block_before = before;
    }
  }
  __syncthreads();
  mine.store(results, tile, block_before, params);
}
