// No twin in GLSL: CUB is CUDA's library. What CUB's DeviceReduce and DeviceScan launch for sums of 32-bit words, with the
// policies that CUB tunes for the architecture: its own agents, in kernels that this suite loads and times as all others.
// Without CUB 3 (CUDA 13's) cub_shape says so, and there is nothing else.
#include "params.h"

#if __has_include(<cub/version.cuh>)
#include <cub/version.cuh>
#endif

#if defined(CUB_VERSION) && CUB_VERSION >= 300000 && CUB_VERSION < 400000
#include <cub/agent/agent_reduce.cuh>
#include <cub/agent/agent_scan.cuh>
#include <cub/device/dispatch/tuning/tuning_reduce.cuh>
#include <cub/device/dispatch/tuning/tuning_scan.cuh>
#include <cub/grid/grid_even_share.cuh>

using Plus = cuda::std::plus<>;
using Reduce = cub::detail::reduce::policy_hub<uint, int, Plus>::MaxPolicy::ActivePolicy::ReducePolicy;
using Agent = cub::detail::reduce::AgentReduce<Reduce, const uint*, uint*, int, Plus, uint>;
using Scan = cub::detail::scan::policy_hub<uint, uint, uint, int, Plus>::MaxPolicy::ActivePolicy::ScanPolicyT;
using ScanAgent = cub::detail::scan::AgentScan<Scan, const uint*, uint*, Plus, uint, int, uint>;
using TileState = cub::ScanTileState<uint>;

// CUB's version, then threads of a block and words of a tile: of the sum, and of the scan.
extern "C" __global__ void cub_shape(const uint*, uint* shape, uint*, ScanParams) {
  const uint words[] = {CUB_VERSION, Reduce::BLOCK_THREADS, Reduce::BLOCK_THREADS * Reduce::ITEMS_PER_THREAD,
                        Scan::BLOCK_THREADS, Scan::BLOCK_THREADS * Scan::ITEMS_PER_THREAD};
  for (int i = 0; i < 5; ++i) shape[i] = words[i];
}

// A block's share of the input.
extern "C" __global__ void __launch_bounds__(Reduce::BLOCK_THREADS)
    cub_sum(const uint* words, uint* sums, uint*, ScanParams params) {
  __shared__ Agent::TempStorage shared;
  cub::GridEvenShare<int> share;
  share.DispatchInit(params.vectors * 4, gridDim.x, Reduce::BLOCK_THREADS * Reduce::ITEMS_PER_THREAD);
  const uint sum = Agent(shared, words, Plus{}).ConsumeTiles(share);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// All of params.tiles words, by one block.
extern "C" __global__ void __launch_bounds__(Reduce::BLOCK_THREADS, 1)
    cub_sum_one(const uint* words, uint* sum, uint*, ScanParams params) {
  __shared__ Agent::TempStorage shared;
  const uint all = Agent(shared, words, Plus{}).ConsumeRange(0, static_cast<int>(params.tiles));
  if (threadIdx.x == 0) *sum = all;
}

__device__ __forceinline__ TileState tile_state(uint* state, uint tiles) {
  TileState tile_state;
  tile_state.Init(static_cast<int>(tiles), state + EXP09_FIRST, 0);
  return tile_state;
}

extern "C" __global__ void cub_scan_init(const uint*, uint*, uint* state, ScanParams params) {
  tile_state(state, params.tiles).InitializeStatus(static_cast<int>(params.tiles));
}

extern "C" __global__ void __launch_bounds__(Scan::BLOCK_THREADS)
    cub_scan(const uint* words, uint* results, uint* state, ScanParams params) {
  __shared__ ScanAgent::TempStorage shared;
  TileState tiles = tile_state(state, params.tiles);
  ScanAgent(shared, words, results, Plus{}, 0u).ConsumeRange(static_cast<int>(params.vectors * 4), tiles, 0);
}
#else
extern "C" __global__ void cub_shape(const uint*, uint* shape, uint*, ScanParams) { shape[0] = 0; }
#endif
