// C = A B by wgmma: one warp of a block brings tiles of A and B by TMA into a ring of kStages in shared memory, two warp groups
// multiply them, each 64 of the block's 128 rows with all of its 256 columns. Blocks are persistent: while the sums of a tile
// are stored, the next tile's operands come. A cluster of two blocks makes two tiles, one below the other: each brings half of
// B's tile to both. No GLSL twin: Vulkan has none of this.
#pragma once

#include "cuda/kernels/cluster.cuh"
#include "order.cuh"
#include "tensor_params.h"
#include "wgmma.cuh"

constexpr uint kBlockRows = EXP07_WGMMA_ROWS;
constexpr uint kBlockColumns = EXP07_WGMMA_COLUMNS;
constexpr uint kStages = EXP07_WGMMA_STAGES;
constexpr uint kBytesA = kBlockRows * kTileBytes;
constexpr uint kBytesB = kBlockColumns * kTileBytes;
constexpr uint kStageBytes = kBytesA + kBytesB;
constexpr uint kConsumers = 2;  // warp groups
static_assert(kStageBytes == EXP07_WGMMA_STAGE_BYTES && kTileBytes == EXP07_WGMMA_ROW_BYTES);
static_assert((1 + kConsumers) * 128 == EXP07_WGMMA_BLOCK && kConsumers * kGroupRows == kBlockRows &&
              kGroupColumns == kBlockColumns);

// A ring's place, and how often it has been gone round.
struct Place {
  uint stage = 0;
  uint parity = 0;

  __device__ __forceinline__ void next() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// A wait that takes a second is a fault: the launch fails, but does not hang the GPU.
__device__ __forceinline__ void wait_or_trap(unsigned long long* barrier, uint parity) {
  if (!barrier_wait(barrier, parity)) __trap();
}

__device__ __forceinline__ void tensor_load_to(void* to, const void* map, uint x, uint y, unsigned long long* barrier,
                                               unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, "
      "%3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

template <Numbers N, uint CLUSTER, uint GROUP>
__device__ __forceinline__ void product_wgmma(typename Types<N>::Out* c, const TensorMatrixParams& params) {
  extern __shared__ unsigned char raw[];
  unsigned char* memory = raw + (-shared_address(raw) & 1023);  // a swizzled tile lies at a multiple of 1024 bytes
  unsigned long long* full = reinterpret_cast<unsigned long long*>(memory + kStages * kStageBytes);
  unsigned long long* empty = full + kStages;
  // A warp's number, which is the same for all of its lanes and which the compiler knows to be so.
  const uint warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  const uint rank = CLUSTER == 1 ? 0 : cluster_rank();
  const uint rows = params.matrix.m / (kBlockRows * CLUSTER);
  const uint columns = params.matrix.n / kBlockColumns;
  const uint turns = params.matrix.k * sizeof(typename Types<N>::In) / kTileBytes;
  const uint first = blockIdx.x / CLUSTER;
  const uint step = gridDim.x / CLUSTER;

  if (threadIdx.x == 0) {
    for (uint stage = 0; stage < kStages; ++stage) {
      barrier_init(&full[stage]);
      barrier_init(&empty[stage], kConsumers * CLUSTER);
    }
    if (CLUSTER > 1) fence_barrier_init();
    fence_async();
  }
  if (CLUSTER > 1) {
    cluster_sync();
  } else {
    __syncthreads();
  }

  if (warp < 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      constexpr uint kK = kTileBytes / 4;  // a tensor map counts words
      constexpr uint kPart = kBlockColumns / CLUSTER;
      Place place;
#pragma unroll 1
      for (uint number = first; number < rows * columns; number += step) {
        const TileAt tile = tile_at<GROUP>(number, rows, columns);
        const uint row = (tile.row * CLUSTER + rank) * kBlockRows;
        const uint column = tile.column * kBlockColumns + rank * kPart;
#pragma unroll 1
        for (uint turn = 0; turn < turns; ++turn) {
          unsigned char* to = memory + place.stage * kStageBytes;
          wait_or_trap(&empty[place.stage], place.parity ^ 1);
          barrier_expect(&full[place.stage], kStageBytes);
          tensor_load(to, &params.a, turn * kK, row, &full[place.stage]);
          if (CLUSTER > 1) {
            tensor_load_to(to + kBytesA + rank * kPart * kTileBytes, &params.b, turn * kK, column, &full[place.stage],
                           (1 << CLUSTER) - 1);
          } else {
            tensor_load(to + kBytesA, &params.b, turn * kK, column, &full[place.stage]);
          }
          place.next();
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const uint group = warp / 4 - 1;
    typename Types<N>::Sum sums[kGroupSums<N>];
    Place place;
    // Whose lanes say that this group has read a stage: one for each block of the cluster.
    const uint lane = threadIdx.x % 128;
    const auto release = [&](uint stage) {
      if (CLUSTER > 1) {
        if (lane < CLUSTER) arrive_remote(at_rank(&empty[stage], lane));
      } else {
        if (lane == 0) barrier_arrive(&empty[stage]);
      }
    };
    const unsigned long long tile_a = tile_descriptor(shared_address(memory) + group * kGroupRows * kTileBytes);
    const unsigned long long tile_b = tile_descriptor(shared_address(memory) + kBytesA);
#pragma unroll 1
    for (uint number = first; number < rows * columns; number += step) {
      const TileAt tile = tile_at<GROUP>(number, rows, columns);
      uint last = 0;
#pragma unroll 1
      for (uint turn = 0; turn < turns; ++turn) {
        wait_or_trap(&full[place.stage], place.parity);
        group_begin();
#pragma unroll
        for (uint k = 0; k < kTileBytes / kStepBytes; ++k) {
          const unsigned long long at = place.stage * (kStageBytes / 16) + k * (kStepBytes / 16);
          group_multiply<N>(sums, tile_a + at, tile_b + at, turn + k != 0);
        }
        group_commit();
        group_wait<1>();  // this turn's are under way, those of the turn before are done
        if (turn != 0) release(last);
        last = place.stage;
        place.next();
      }
      group_wait<0>();
      sums_are_ready(sums);
      release(last);
      const uint row = (tile.row * CLUSTER + rank) * kBlockRows + group * kGroupRows;
      store_group<N>(c + static_cast<size_t>(row) * params.matrix.n + tile.column * kBlockColumns, params.matrix.n, sums);
    }
  }
  if (CLUSTER > 1) cluster_sync();
}

// Dynamic shared memory: EXP07_WGMMA_SHARED. Grid: as many blocks as run at once, a multiple of the cluster's.
#define EXP07_PRODUCT_WGMMA(name, numbers, CLUSTER, GROUP, ...)                                                     \
  extern "C" __global__ void __VA_ARGS__ __launch_bounds__(EXP07_WGMMA_BLOCK, 1)                                    \
      name(const Types<Numbers::numbers>::In*, const Types<Numbers::numbers>::In*, Types<Numbers::numbers>::Out* c, \
           const __grid_constant__ TensorMatrixParams params) {                                                     \
    product_wgmma<Numbers::numbers, CLUSTER, GROUP>(c, params);                                                     \
  }
// GROUP: rows of tiles, or of a cluster's tiles, that are made side by side (order.cuh).
#define PRODUCT_WGMMA_ALONE(name, numbers, GROUP) EXP07_PRODUCT_WGMMA(name, numbers, 1, GROUP)
// Launched in clusters always: without saying so, every cluster barrier would first ask whether there is a cluster.
#define PRODUCT_WGMMA(name, numbers, GROUP) EXP07_PRODUCT_WGMMA(name, numbers, EXP07_WGMMA_CLUSTER, GROUP, __cluster_dims__())
