// Each workgroup sums the tiles b, b + grid, ... and stores one word. 64 bytes read a thread and tile.
// LAST_BLOCK: the workgroup that is ready last adds up the others' sums, too.
#include "block.glsl"

uint sum_of_tiles() {
  uint sum = 0;
  [[dont_unroll]] for (uint first = gl_WorkGroupID.x * EXP09_TILE_VECTORS; first < params.vectors;
                       first += gl_NumWorkGroups.x * EXP09_TILE_VECTORS) {
    uvec4 v[EXP09_ROWS];
    [[unroll]] for (uint row = 0; row < EXP09_ROWS; ++row) {
      const uint i = first + place(row);
      v[row] = i < params.vectors ? words.at[i] : uvec4(0);
    }
    [[unroll]] for (uint row = 0; row < EXP09_ROWS; ++row) sum += sum_of(v[row]);
  }
  return block_sum(sum);
}

#ifdef LAST_BLOCK
shared uint ticket;

void main() {
  const uint sum = sum_of_tiles();
  if (thread() == 0) {
    state.at[EXP09_FIRST + gl_WorkGroupID.x] = sum;
    ticket = atomicAdd(state.at[EXP09_TICKET], 1, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  }
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  // The grid is a power of two.
  if ((ticket & (gl_NumWorkGroups.x - 1)) != gl_NumWorkGroups.x - 1) return;
  uint own = 0;
  [[dont_unroll]] for (uint i = thread(); i < gl_NumWorkGroups.x; i += EXP09_BLOCK) own += state.at[EXP09_FIRST + i];
  const uint total = block_sum(own);
  if (thread() == 0) result.at[0] = total;
}
#else
void main() {
  const uint sum = sum_of_tiles();
  if (thread() == 0) result.at[gl_WorkGroupID.x] = sum;
}
#endif
