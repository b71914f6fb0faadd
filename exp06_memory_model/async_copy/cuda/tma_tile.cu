// No GLSL twin: Vulkan has no asynchronous copies.
// A block an instance: a tile of a 2-D tensor comes into shared memory through the tensor map, every thread adds to its word,
// and the tile goes back the same way. Ordinary loads and stores are one proxy to memory, the copies another: fences stand
// between the two wherever one reads or overwrites what the other wrote. Each can be left out, to see what comes of it.
#include "cuda/kernels/bulk.cuh"
#include "tensor_params.h"

enum class LeftOut {
  kNothing,
  kLoadFence,     // between the threads' stores to the place and the copy that overwrites them
  kInitFence,     // between the barrier's initialisation and the copy that reports to it
  kLoadWait,      // for the copy, before its words are used: a control, expected to fail
  kStoreFence,    // between the threads' stores and the copy that reads them
  kOthersFence,   // likewise, all but that of the thread that copies, which follows the block's barrier
  kStoreBarrier,  // the block's barrier before that copy: a control, expected to fail
  kReadWait,      // for that copy to have read, before its place is written again
};

// Keeps the shared memory busy: what the warp stores next has to wait for stores to one bank, its own, `count` in the first
// warp, twice as many in the second ...
__device__ __forceinline__ void press(uint* scratch, uint count) {
#pragma unroll 1
  for (uint i = 0; i < count * (1 + threadIdx.x / 32); ++i)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_address(&scratch[threadIdx.x % 32 * 32 + threadIdx.x / 32])), "r"(i)
                 : "memory");
}

template <LeftOut OUT>
__device__ __forceinline__ void tma_tile(uint* gave_up, const TileTensorParams& params) {
  __shared__ __align__(128) uint tile[EXP06_TILE_THREADS];
  __shared__ uint scratch[32 * 32];
  __shared__ unsigned long long arrived;
  const uint thread = threadIdx.x;
  const uint x = EXP06_TILE_AT;
  const uint y = blockIdx.x * EXP06_TENSOR_ROWS + EXP06_TILE_AT;

  const auto init = [&] {
    if (thread < 32) press(scratch, params.place.pressure);
    if (thread == 0) {
      barrier_init(&arrived);
      if (OUT != LeftOut::kInitFence) fence_async();
    }
  };
  // A fence serves all that its thread did before: neither of these two may come between the other's stores and the copy.
  if (OUT != LeftOut::kInitFence) init();
  press(scratch, params.place.pressure);
  tile[thread] = EXP06_TILE_NOTHING;
  if (OUT != LeftOut::kLoadFence) fence_async();
  __syncthreads();
  if (OUT == LeftOut::kInitFence) init();
  if (thread == 0) {
    barrier_expect(&arrived, sizeof(tile));
    tensor_load(tile, &params.map, x, y, &arrived);
  }
  __syncthreads();
  bool ok = OUT == LeftOut::kLoadWait || barrier_wait(&arrived, 0, params.place.limit_ns);
  ok = __syncthreads_and(ok);
  press(scratch, params.place.pressure);
  tile[thread] += EXP06_TILE_ADDED(thread, blockIdx.x);
  if (OUT != LeftOut::kStoreFence && OUT != LeftOut::kOthersFence) fence_async();
  if (OUT != LeftOut::kStoreBarrier) __syncthreads();
  if (thread == 0) {
    if (OUT == LeftOut::kOthersFence) fence_async();
    if (ok) tensor_store(&params.map, x, y, tile);
    if (OUT != LeftOut::kReadWait) bulk_wait_read<0>();
  }
  __syncthreads();
  tile[thread] = EXP06_TILE_NOTHING;
  __syncthreads();
  if (thread == 0) {
    // Whatever was left out, no copy outlives the block's shared memory.
    bulk_wait();
    if (OUT == LeftOut::kLoadWait) ok = barrier_wait(&arrived, 0, params.place.limit_ns);
    if (!ok) atomicAdd(gave_up, 1);
  }
}

#define TMA_TILE(name, out)                                                                                \
  extern "C" __global__ void name(uint*, uint* gave_up, const __grid_constant__ TileTensorParams params) { \
    tma_tile<LeftOut::out>(gave_up, params);                                                               \
  }
TMA_TILE(tma_tile, kNothing)
TMA_TILE(tma_tile_load_fence, kLoadFence)
TMA_TILE(tma_tile_init_fence, kInitFence)
TMA_TILE(tma_tile_load_wait, kLoadWait)
TMA_TILE(tma_tile_store_fence, kStoreFence)
TMA_TILE(tma_tile_others_fence, kOthersFence)
TMA_TILE(tma_tile_store_barrier, kStoreBarrier)
TMA_TILE(tma_tile_read_wait, kReadWait)
