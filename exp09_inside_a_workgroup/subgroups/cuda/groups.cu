// chain_*, rate_* by cooperative groups: see operation.cuh. No twins in GLSL, whose subgroup operations are the plain ones'
// twins.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "operation.cuh"

namespace cg = cooperative_groups;

template <unsigned kLanes>
__device__ __forceinline__ cg::thread_block_tile<kLanes> tile() {
  return cg::tiled_partition<kLanes>(cg::this_thread_block());
}

__device__ __forceinline__ float small(uint value) { return static_cast<float>(value & EXP09_SMALL); }

// What a kernel does to `value`, of all lanes of its group.
#define GROUPS(Name, expression)                                                \
  struct Name {                                                                 \
    template <int kFlow>                                                        \
    static __device__ __forceinline__ uint apply(uint value, uint lane, uint) { \
      return expression + lane;                                                 \
    }                                                                           \
  };

GROUPS(TileShuffle, tile<32>().shfl(value, value & 31))
GROUPS(TileBallot, tile<32>().ballot((value & 1) != 0))
GROUPS(TileAdd, cg::reduce(tile<32>(), value, cg::plus<uint>()))
GROUPS(TileAddFloat, static_cast<uint>(cg::reduce(tile<32>(), small(value), cg::plus<float>())))
GROUPS(TileInclusiveAdd, cg::inclusive_scan(tile<32>(), value, cg::plus<uint>()))
GROUPS(TileExclusiveAdd, cg::exclusive_scan(tile<32>(), value, cg::plus<uint>()))
GROUPS(TileClusteredAdd, cg::reduce(tile<EXP09_CLUSTER>(), value, cg::plus<uint>()))
GROUPS(CoalescedAdd, cg::reduce(cg::coalesced_threads(), value, cg::plus<uint>()))

OPERATION_OF(tile_shuffle, all, TileShuffle, EXP09_ALL_LANES)
OPERATION_OF(tile_ballot, all, TileBallot, EXP09_ALL_LANES)
OPERATION_OF(tile_add, all, TileAdd, EXP09_ALL_LANES)
OPERATION_OF(tile_add_float, all, TileAddFloat, EXP09_ALL_LANES)
OPERATION_OF(tile_inclusive_add, all, TileInclusiveAdd, EXP09_ALL_LANES)
OPERATION_OF(tile_exclusive_add, all, TileExclusiveAdd, EXP09_ALL_LANES)
OPERATION_OF(tile_clustered_add, all, TileClusteredAdd, EXP09_ALL_LANES)
OPERATION_OF(coalesced_add, all, CoalescedAdd, EXP09_ALL_LANES)
OPERATION_OF(coalesced_add, even, CoalescedAdd, EXP09_EVEN_LANES)
