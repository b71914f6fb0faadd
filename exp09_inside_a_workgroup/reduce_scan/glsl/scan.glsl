// Exclusive scan. 64 bytes read and 64 written a thread and tile.
// ONE_BLOCK: one workgroup scans tile after tile. ADD: a workgroup scans one tile, and adds what stands before the tile: a word
// of the third buffer, from an earlier launch. LOOK_BACK: it finds that by looking back at what earlier tiles publish: a flag with
// release and acquire beside the sums, or, with PACKED, flag and sum in 64 bits, relaxed.
#ifdef PACKED
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#include "block.glsl"

// A tile as it was read, and of each vector what stands before it in the tile.
uvec4 tile_words[EXP09_ROWS];
uvec4 tile_before;

// Returns the tile's sum.
uint scan_in_tile(uint tile) {
  uvec4 own;
  [[unroll]] for (uint row = 0; row < EXP09_ROWS; ++row) {
    const uint i = tile * EXP09_TILE_VECTORS + place(row);
    tile_words[row] = i < params.vectors ? words.at[i] : uvec4(0);
    own[row] = sum_of(tile_words[row]);
  }
  uint total;
  tile_before = block_exclusive(own, total);
  return total;
}

void store_tile(uint tile, uint before) {
  Results results = Results(result);
  [[unroll]] for (uint row = 0; row < EXP09_ROWS; ++row) {
    const uint i = tile * EXP09_TILE_VECTORS + place(row);
    const uvec4 v = tile_words[row];
    const uint first = before + tile_before[row];
    if (i < params.vectors) results.at[i] = uvec4(first, first + v.x, first + v.x + v.y, first + v.x + v.y + v.z);
  }
}

#ifdef ONE_BLOCK
void main() {
  uint before = 0;
  [[dont_unroll]] for (uint tile = 0; tile * EXP09_TILE_VECTORS < params.vectors; ++tile) {
    const uint total = scan_in_tile(tile);
    store_tile(tile, before);
    before += total;
    barrier();  // the next tile takes the same shared memory
  }
}
#endif

#ifdef ADD
void main() {
  const uint before = state.at[gl_WorkGroupID.x];
  scan_in_tile(gl_WorkGroupID.x);
  store_tile(gl_WorkGroupID.x, before);
}
#endif

#ifdef LOOK_BACK
shared uint block_ticket;
shared uint block_before;

#ifdef PACKED
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Packed { nonprivate uint64_t at[]; };
Packed packed() { return Packed(uint64_t(state) + EXP09_FIRST * 4); }

void publish(uint tile, uint flag, uint sum) {
  atomicStore(packed().at[tile], uint64_t(flag) << 32 | sum, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
uint poll(uint tile, out uint sum) {
  const uint64_t both = atomicLoad(packed().at[tile], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  sum = uint(both);
  return uint(both >> 32);
}
uint published(uint tile, uint flag, uint sum) { return sum; }
#else
// Three words a tile, an array each: flag, sum of the tile, sum up to its end. Neither sum is ever written twice in a launch.
uint slot(uint kind, uint tile) { return EXP09_FIRST + (kind << params.log2_tiles) + tile; }

void publish(uint tile, uint flag, uint sum) {
  state.at[slot(flag & 3, tile)] = sum;
  atomicStore(state.at[slot(0, tile)], flag, gl_ScopeDevice, gl_StorageSemanticsBuffer,
              gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}
uint poll(uint tile, out uint sum) {
  sum = 0;
  return atomicLoad(state.at[slot(0, tile)], gl_ScopeDevice, gl_StorageSemanticsBuffer,
                    gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}
uint published(uint tile, uint flag, uint sum) { return state.at[slot(flag & 3, tile)]; }
#endif

// By one subgroup: the sum of all words before the tile. Each invocation watches one of the tiles before it, the nearest first.
// A wait ends when all of them have published something, or after params.spins polls: then the count of failures grows.
uint look_back(uint tile, uint launch) {
  uint sum = 0;
  int nearest = int(tile) - 1;
  [[dont_unroll]] for (;;) {
    const int mine = nearest - int(gl_SubgroupInvocationID);
    uint flag = launch | EXP09_PREFIX;  // of what would stand before tile 0: nothing, and that is its whole prefix
    uint found = 0;
    uint spin = 0;
    [[dont_unroll]] for (; spin < params.spins; ++spin) {
      if (mine >= 0) flag = poll(uint(mine), found);
      if (subgroupAll((flag & ~3u) == launch)) break;
    }
    if (spin == params.spins) {
      if (subgroupElect()) atomicAdd(state.at[EXP09_FAILED], 1);
      return sum;
    }
    const uint value = mine >= 0 ? published(uint(mine), flag, found) : 0;
    const uvec4 prefixes = subgroupBallot((flag & 3) == EXP09_PREFIX);
    const bool done = subgroupAny((flag & 3) == EXP09_PREFIX);
    const uint last = done ? subgroupBallotFindLSB(prefixes) : gl_SubgroupSize;
    sum += subgroupAdd(gl_SubgroupInvocationID <= last ? value : 0);
    if (done) return sum;
    nearest -= int(gl_SubgroupSize);
  }
  return sum;
}

void main() {
  // A ticket, not the workgroup's number: whoever holds a lower one has started, so that the wait is for a workgroup that runs.
  if (thread() == 0) {
    block_ticket = atomicAdd(state.at[EXP09_TICKET], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  }
  barrier();
  const uint tile = block_ticket & (params.tiles - 1);
  const uint launch = EXP09_FLAG(block_ticket, params.log2_tiles);
  const uint total = scan_in_tile(tile);
  if (gl_SubgroupID == 0) {
    if (subgroupElect()) publish(tile, launch | (tile == 0 ? EXP09_PREFIX : EXP09_AGGREGATE), total);
    const uint before = tile == 0 ? 0 : look_back(tile, launch);
    if (subgroupElect()) {
      if (tile != 0) publish(tile, launch | EXP09_PREFIX, before + total);
      block_before = before;
    }
  }
  barrier();
  store_tile(tile, block_before);
}
#endif
