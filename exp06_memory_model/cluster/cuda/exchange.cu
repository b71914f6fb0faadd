// No GLSL twin: Vulkan has no clusters.
// All threads of all blocks move 32 KiB a turn out of, or into, the shared memory of the block's peer: 1024 threads, two times
// 16 bytes each, or 32 bulk copies of 1 KiB. The same through global memory that the L2 holds, as a control. A block has an SM
// to itself, by its shared memory. In the end every block sums up its slots, each word with a weight: what its peer has sent;
// a reader sums up what it has read.
#include "cluster.cuh"

#define EXCHANGE(name) CLUSTER_KERNEL __launch_bounds__(1024) exchange_##name(uint* data, uint* out, ClusterParams params)

constexpr uint kThreads = 1024;
constexpr uint kSlotsBytes = EXP06_SLOTS * EXP06_SLOT_BYTES;
constexpr uint kVectorBytes = kThreads * 16;  // a vector of each thread
constexpr uint kWarpCopyBytes = EXP06_SLOT_BYTES / (kThreads / 32);

// The slots, what bulk copies come from, and a barrier a slot: as exchange_shared_bytes in variants.cpp.
struct Memory {
  uint* slots;
  uint* source;
  unsigned long long* barriers;
};
__device__ __forceinline__ Memory memory_of_block() {
  extern __shared__ __align__(128) unsigned char memory[];
  return {reinterpret_cast<uint*>(memory), reinterpret_cast<uint*>(memory + kSlotsBytes),
          reinterpret_cast<unsigned long long*>(memory + kSlotsBytes + EXP06_SLOT_BYTES)};
}

__device__ __forceinline__ uint* region(uint* data, uint block) {
  return data + static_cast<size_t>(block) * (kSlotsBytes / 4);
}

// Vectors threadIdx.x and threadIdx.x + 1024 of a slot.
__device__ __forceinline__ uint4 sent(uint first, uint vector, uint turn) {
  const uint word = first + vector * kThreads * 4 * 0x9e3779b9u + turn;
  return make_uint4(word, word + 0x9e3779b9u, word + 2 * 0x9e3779b9u, word + 3 * 0x9e3779b9u);
}

__device__ __forceinline__ void fill_slots(uint* to) {
  for (uint i = threadIdx.x; i < EXP06_SLOTS * EXP06_SLOT_WORDS; i += kThreads) {
    to[i] = EXP06_SENT(blockIdx.x, i % EXP06_SLOT_WORDS, i / EXP06_SLOT_WORDS);
  }
}

__device__ __forceinline__ uint block_sum(uint sum) {
  __shared__ uint total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
  __syncthreads();
  return total;
}

template <class Load>
__device__ __forceinline__ uint weighted_slots(const Load& load) {
  uint sum = 0;
  for (uint i = threadIdx.x; i < EXP06_SLOTS * EXP06_SLOT_WORDS; i += kThreads) sum += load(i) * EXP06_WEIGHT(i);
  return block_sum(sum);
}

// load(slot, vector) returns 16 bytes of the peer's. Two turns at a time, so that 64 KiB are in flight. No compiler can use one
// of the loads before the last is issued: a branch that is never taken depends on all.
template <class Load>
__device__ __forceinline__ void read_slots(const Load& load, uint* out, const ClusterParams& params) {
  uint sum = 0;
  const uint begin = cycles();
#pragma unroll 1
  for (uint turn = 0; turn < params.steps; turn += 2) {
    const uint slot = turn % EXP06_SLOTS;
    uint4 value[4];
#pragma unroll
    for (uint i = 0; i < 4; ++i) value[i] = load(slot + i / 2, i % 2);
    if ((value[0].x & value[1].x & value[2].x & value[3].x & params.none) != 0) break;
#pragma unroll
    for (uint i = 0; i < 4; ++i) sum += value[i].x + value[i].y + value[i].z + value[i].w;
  }
  __syncthreads();
  const uint elapsed = cycles() - begin;
  const uint total = block_sum(sum);
  cluster_sync();
  if (threadIdx.x == 0) record(out, true, total, elapsed);
}

// store(slot, vector, value).
template <class Store>
__device__ __forceinline__ uint write_slots(const Store& store, const ClusterParams& params) {
  const uint first = EXP06_SENT(blockIdx.x, threadIdx.x * 4, 0);
  const uint begin = cycles();
#pragma unroll 1
  for (uint turn = 0; turn < params.steps; ++turn) {
#pragma unroll
    for (uint i = 0; i < 2; ++i) store(turn % EXP06_SLOTS, i, sent(first, i, turn));
  }
  cluster_sync();  // releases: the stores are done
  return cycles() - begin;
}

// send(slot) moves 32 KiB and reports them to the peer's barrier of that slot. A block sends two turns ahead of what it has
// received; its peer does likewise, so that a slot is sent to again only after its last turn's bytes were waited for there:
// four slots for two turns.
template <class Send>
__device__ __forceinline__ bool message_slots(const Send& send, const Memory& mine, const ClusterParams& params,
                                              uint& elapsed) {
  bool ok = true;
  const uint begin = cycles();
#pragma unroll 1
  for (uint turn = 0; turn < params.steps + 2 && ok; ++turn) {
    if (turn >= 2) {
      const uint last = turn - 2;
      // All lanes: what one of them sends says that all have waited.
      ok = __all_sync(0xffffffffu, barrier_wait(&mine.barriers[last % EXP06_SLOTS], last / EXP06_SLOTS & 1));
    }
    if (turn < params.steps && ok) {
      if (threadIdx.x == 0) barrier_expect(&mine.barriers[turn % EXP06_SLOTS], EXP06_SLOT_BYTES);
      send(turn);
    }
  }
  ok = __syncthreads_and(ok);
  elapsed = cycles() - begin;
  return ok;
}

__device__ __forceinline__ void init_barriers(const Memory& mine) {
  if (threadIdx.x == 0) {
    for (uint slot = 0; slot < EXP06_SLOTS; ++slot) barrier_init(&mine.barriers[slot]);
    fence_barrier_init();
    fence_async();
  }
}

// The block's own slots, as shared::cta.
EXCHANGE(read_local) {
  const Memory mine = memory_of_block();
  fill_slots(mine.slots);
  cluster_sync();
  const uint4* from = reinterpret_cast<const uint4*>(mine.slots) + threadIdx.x;
  read_slots([&](uint slot, uint i) { return load_shared(from + slot * (EXP06_SLOT_BYTES / 16) + i * kThreads); }, out, params);
}

EXCHANGE(read) {
  const Memory mine = memory_of_block();
  fill_slots(mine.slots);
  cluster_sync();
  const uint from = at_rank(mine.slots, cluster_rank() ^ params.distance) + threadIdx.x * 16;
  read_slots([&](uint slot, uint i) { return load_remote(from + slot * EXP06_SLOT_BYTES + i * kVectorBytes); }, out, params);
}

EXCHANGE(read_global) {
  fill_slots(region(data, blockIdx.x));
  __threadfence();
  cluster_sync();
  const size_t from = __cvta_generic_to_global(region(data, blockIdx.x ^ params.distance)) + threadIdx.x * 16;
  const auto load = [&](uint slot, uint i) {
    uint4 value;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from + slot * EXP06_SLOT_BYTES + i * kVectorBytes)
                 : "memory");
    return value;
  };
  read_slots(load, out, params);
}

EXCHANGE(write_local) {
  const Memory mine = memory_of_block();
  const uint to = shared_address(mine.slots) + threadIdx.x * 16;
  cluster_sync();
  const uint elapsed = write_slots(
      [&](uint slot, uint i, uint4 value) { store_shared(to + slot * EXP06_SLOT_BYTES + i * kVectorBytes, value); }, params);
  const uint sum = weighted_slots([&](uint i) { return mine.slots[i]; });
  if (threadIdx.x == 0) record(out, true, sum, elapsed);
}

EXCHANGE(write) {
  const Memory mine = memory_of_block();
  const uint to = at_rank(mine.slots, cluster_rank() ^ params.distance) + threadIdx.x * 16;
  cluster_sync();
  const uint elapsed = write_slots(
      [&](uint slot, uint i, uint4 value) { store_remote(to + slot * EXP06_SLOT_BYTES + i * kVectorBytes, value); }, params);
  const uint sum = weighted_slots([&](uint i) { return mine.slots[i]; });
  if (threadIdx.x == 0) record(out, true, sum, elapsed);
}

EXCHANGE(write_global) {
  const size_t to = __cvta_generic_to_global(region(data, blockIdx.x ^ params.distance)) + threadIdx.x * 16;
  const auto store = [&](uint slot, uint i, uint4 value) {
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to + slot * EXP06_SLOT_BYTES + i * kVectorBytes),
                 "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
  };
  cluster_sync();
  const uint elapsed = write_slots(store, params);
  const uint* mine = region(data, blockIdx.x);
  const uint sum = weighted_slots([&](uint i) { return __ldcg(mine + i); });
  cluster_sync();
  if (threadIdx.x == 0) record(out, true, sum, elapsed);
}

EXCHANGE(st_async) {
  const Memory mine = memory_of_block();
  init_barriers(mine);
  cluster_sync();
  const uint peer = cluster_rank() ^ params.distance;
  const uint to = at_rank(mine.slots, peer) + threadIdx.x * 16;
  const uint remote_barriers = at_rank(mine.barriers, peer);
  const uint first = EXP06_SENT(blockIdx.x, threadIdx.x * 4, 0);
  const auto send = [&](uint turn) {
    const uint slot = turn % EXP06_SLOTS;
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
      store_async(to + slot * EXP06_SLOT_BYTES + i * kVectorBytes, sent(first, i, turn), remote_barriers + slot * 8);
    }
  };
  uint elapsed;
  const bool ok = message_slots(send, mine, params, elapsed);
  cluster_sync();
  const uint sum = weighted_slots([&](uint i) { return mine.slots[i]; });
  if (threadIdx.x == 0) record(out, ok, sum, elapsed);
}

// Shared memory to shared memory by the copy engine, one lane a warp.
EXCHANGE(bulk) {
  const Memory mine = memory_of_block();
  for (uint i = threadIdx.x; i < EXP06_SLOT_WORDS; i += kThreads) mine.source[i] = EXP06_SENT(blockIdx.x, i, EXP06_SOURCE_TURN);
  fence_async();
  init_barriers(mine);
  __syncthreads();
  cluster_sync();
  const uint peer = cluster_rank() ^ params.distance;
  const uint warp_bytes = threadIdx.x / 32 * kWarpCopyBytes;
  const uint to = at_rank(mine.slots, peer) + warp_bytes;
  const uint from = shared_address(mine.source) + warp_bytes;
  const uint remote_barriers = at_rank(mine.barriers, peer);
  const auto send = [&](uint turn) {
    const uint slot = turn % EXP06_SLOTS;
    if (threadIdx.x % 32 == 0) {
      asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       to + slot * EXP06_SLOT_BYTES),
                   "r"(from), "r"(kWarpCopyBytes), "r"(remote_barriers + slot * 8)
                   : "memory");
    }
  };
  uint elapsed;
  const bool ok = message_slots(send, mine, params, elapsed);
  cluster_sync();
  const uint sum = weighted_slots([&](uint i) { return mine.slots[i]; });
  if (threadIdx.x == 0) record(out, ok, sum, elapsed);
}
