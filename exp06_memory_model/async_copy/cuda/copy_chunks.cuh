// b = a in chunks through shared memory, one thread a block: no data passes through a register.
//   load(slot, chunk, barrier) starts the copy of a chunk into shared memory, store(chunk, slot) the one out of it.
#pragma once

#include "cuda/kernels/bulk.cuh"
#include "params.h"

// Which chunks a persistent block copies.
enum class Order {
  kInterleaved,  // b, b + grid, b + 2 * grid ...: all blocks work side by side
  kContiguous,   // one run of its own
  kTaken,        // the next that no block has taken: a slow SM copies less
};

// A ring of STAGES chunks for the whole block, one half on its way in, the other on its way out.
template <uint STAGES, Order ORDER, class Load, class Store>
__device__ __forceinline__ void copy_block_ring(const Load& load, const Store& store, uint* state, const CopyParams& params) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ unsigned long long barriers[STAGES];
  __shared__ uint chunks[STAGES];
  constexpr uint kLeaving = STAGES / 2;
  if (threadIdx.x != 0) return;
  const uint run = (params.chunks + gridDim.x - 1) / gridDim.x;
  // The next chunk, short of `base`: a counter's value is not added to before it is needed, and so not waited for.
  const uint base = ORDER == Order::kTaken ? gridDim.x : 0;
  uint next = (ORDER == Order::kContiguous ? blockIdx.x * run : blockIdx.x) - base;
  const uint end = ORDER == Order::kContiguous ? min(next + run, params.chunks) : params.chunks;
  uint loaded = 0;
  const auto load_next = [&] {
    const uint chunk = next + base;
    if (chunk >= end) return;
    const uint stage = loaded++ % STAGES;
    chunks[stage] = chunk;
    barrier_expect(&barriers[stage], params.chunk_bytes);
    load(memory + stage * params.chunk_bytes, chunk, &barriers[stage]);
    if (ORDER == Order::kTaken) {
      next = atomicAdd(&state[0], 1);
    } else {
      next += ORDER == Order::kContiguous ? 1 : gridDim.x;
    }
  };
#pragma unroll 1
  for (uint stage = 0; stage < STAGES; ++stage) barrier_init(&barriers[stage]);
  fence_async();
#pragma unroll 1
  for (uint stage = 0; stage < STAGES; ++stage) load_next();
#pragma unroll 1
  for (uint turn = 0; turn < loaded; ++turn) {
    const uint stage = turn % STAGES;
    if (!barrier_wait(&barriers[stage], turn / STAGES & 1)) break;  // what is missing in b fails the comparison
    store(chunks[stage], memory + stage * params.chunk_bytes);
    if (turn < kLeaving) continue;
    bulk_wait_read<kLeaving>();
    load_next();
  }
  bulk_wait();
  if (ORDER == Order::kTaken) {
    // The last block to end leaves the state as it was found.
    __threadfence();
    if (atomicAdd(&state[1], 1) == gridDim.x - 1) {
      atomicExch(&state[0], 0);
      atomicExch(&state[1], 0);
    }
  }
}

// A block for every CHUNKS chunks: all in, then each out as soon as it is there.
template <uint CHUNKS, class Load, class Store>
__device__ __forceinline__ void copy_once(const Load& load, const Store& store, const CopyParams& params) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ unsigned long long barriers[CHUNKS];
  if (threadIdx.x != 0) return;
  const uint first = blockIdx.x * CHUNKS;
#pragma unroll
  for (uint i = 0; i < CHUNKS; ++i) barrier_init(&barriers[i]);
  fence_async();
#pragma unroll
  for (uint i = 0; i < CHUNKS; ++i) {
    barrier_expect(&barriers[i], params.chunk_bytes);
    load(memory + i * params.chunk_bytes, first + i, &barriers[i]);
  }
#pragma unroll
  for (uint i = 0; i < CHUNKS; ++i) {
    if (!barrier_wait(&barriers[i], 0)) break;
    store(first + i, memory + i * params.chunk_bytes);
  }
  bulk_wait_read<0>();  // the shared memory goes with the block
}
