// No GLSL twin: Vulkan has no clusters.
// Every block of a cluster reads the same chunks through a ring in its shared memory, four chunks of 4 KiB a warp. They come
// there by bulk copies of the block's own (own), by those of rank 0 alone, which go to all (one), or in parts, each rank
// copying its part to all (split). Who copies to others has to be told by all of them that they are done with what lay there:
// released to their own block and acquired for the other, as it is done in practice, or to the cluster (*_cluster).
#include "cluster.cuh"

#define MULTICAST(name) CLUSTER_KERNEL multicast_##name(const unsigned char* data, uint* out, ClusterParams params)

#if __CUDA_ARCH__ >= 900
enum class From { kOwn, kOne, kSplit };
enum class Scope { kBlock, kCluster };

template <Scope SCOPE>
__device__ __forceinline__ bool wait(unsigned long long* barrier, uint parity) {
  return SCOPE == Scope::kCluster ? cluster_barrier_wait(barrier, parity) : barrier_wait(barrier, parity);
}

// A lane's part of a chunk: 16 bytes of every 512, its words times their weights.
__device__ __forceinline__ uint sum_of_chunk(const unsigned char* slot, uint lane) {
  constexpr uint kVectors = EXP06_CHUNK_BYTES / 512;
  uint sum = 0;
#pragma unroll
  for (uint i = 0; i < kVectors; ++i) {
    const uint4 value = load_shared(reinterpret_cast<const uint4*>(slot) + i * 32 + lane);
    const uint first = (i * 32 + lane) * 4;
    sum += value.x * EXP06_WEIGHT(first) + value.y * EXP06_WEIGHT(first + 1) + value.z * EXP06_WEIGHT(first + 2) +
           value.w * EXP06_WEIGHT(first + 3);
  }
  return sum;
}

template <From FROM, Scope SCOPE = Scope::kBlock>
__device__ __forceinline__ void multicast(const unsigned char* data, uint* out, const ClusterParams& params) {
  extern __shared__ __align__(128) unsigned char memory[];  // the rings, then two barriers for each of their chunks
  __shared__ uint total;
  const uint warp = threadIdx.x / 32;
  const uint lane = threadIdx.x % 32;
  const uint rank = cluster_rank();
  const uint blocks = cluster_blocks();
  constexpr uint kRingBytes = EXP06_STAGES * EXP06_CHUNK_BYTES;
  unsigned char* ring = memory + warp * kRingBytes;
  unsigned long long* full =
      reinterpret_cast<unsigned long long*>(memory + EXP06_RING_WARPS * kRingBytes) + warp * 2 * EXP06_STAGES;
  unsigned long long* empty = full + EXP06_STAGES;

  const uint first = blockIdx.x / blocks * EXP06_RING_WARPS + warp;
  const uint step = gridDim.x / blocks * EXP06_RING_WARPS;
  const uint turns = first < params.steps ? (params.steps - first + step - 1) / step : 0;
  const uint part = FROM == From::kSplit ? EXP06_CHUNK_BYTES / blocks : EXP06_CHUNK_BYTES;
  const uint offset = FROM == From::kSplit ? rank * part : 0;
  const bool copies = FROM != From::kOne || rank == 0;
  const unsigned short all = static_cast<unsigned short>((1u << blocks) - 1);
  // By one lane.
  const auto copy = [&](uint turn) {
    const uint stage = turn % EXP06_STAGES;
    unsigned char* to = ring + stage * EXP06_CHUNK_BYTES + offset;
    const unsigned char* from =
        data + static_cast<size_t>((first + turn * step) & (params.chunks - 1)) * EXP06_CHUNK_BYTES + offset;
    if constexpr (FROM == From::kOwn) {
      bulk_load(to, from, part, &full[stage]);
    } else {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::
              "r"(shared_address(to)),
          "l"(from), "r"(part), "r"(shared_address(&full[stage])), "h"(all)
          : "memory");
    }
  };

  if (threadIdx.x == 0) total = 0;
  if (lane == 0) {
    for (uint stage = 0; stage < EXP06_STAGES; ++stage) {
      barrier_init(&full[stage]);
      barrier_init(&empty[stage], blocks);
    }
    fence_barrier_init();
    fence_async();
    for (uint turn = 0; turn < EXP06_STAGES && turn < turns; ++turn) barrier_expect(&full[turn], EXP06_CHUNK_BYTES);
  }
  __syncthreads();
  cluster_sync();  // nobody copies before all barriers are there
  const uint begin = cycles();
  if (lane == 0 && copies) {
    for (uint turn = 0; turn < EXP06_STAGES && turn < turns; ++turn) copy(turn);
  }
  __syncwarp();

  uint sum = 0;
  bool ok = true;
#pragma unroll 1
  for (uint turn = 0; turn < turns && ok; ++turn) {
    const uint stage = turn % EXP06_STAGES;
    const uint parity = turn / EXP06_STAGES & 1;
    ok = __all_sync(0xffffffffu, wait<SCOPE>(&full[stage], parity));
    sum += sum_of_chunk(ring + stage * EXP06_CHUNK_BYTES, lane);
    const bool more = ok && turn + EXP06_STAGES < turns;
    // Announced before anyone hears that the slot is free.
    if (more && lane == 0) barrier_expect(&full[stage], EXP06_CHUNK_BYTES);
    __syncwarp();  // and every lane has read its part
    if (!more) continue;
    if constexpr (FROM == From::kOwn) {
      if (lane == 0) copy(turn + EXP06_STAGES);
    } else {
      // To all that copy: lane r to rank r.
      if (lane < (FROM == From::kSplit ? blocks : 1)) {
        const uint there = at_rank(&empty[stage], lane);
        if constexpr (SCOPE == Scope::kCluster) {
          arrive_remote_release(there);
        } else {
          arrive_remote(there);
        }
      }
      if (copies && lane == 0) {
        ok = wait<SCOPE>(&empty[stage], parity);
        if (ok) copy(turn + EXP06_STAGES);
      }
      ok = __shfl_sync(0xffffffffu, ok, 0);
    }
  }
  const uint elapsed = cycles() - begin;
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (lane == 0) atomicAdd(&total, sum);
  ok = __syncthreads_and(ok);
  cluster_sync();
  if (threadIdx.x == 0) record(out, ok, total, elapsed);
}
#endif

MULTICAST(own) {
#if __CUDA_ARCH__ >= 900
  multicast<From::kOwn>(data, out, params);
#endif
}
MULTICAST(one) {
#if __CUDA_ARCH__ >= 900
  multicast<From::kOne>(data, out, params);
#endif
}
MULTICAST(split) {
#if __CUDA_ARCH__ >= 900
  multicast<From::kSplit>(data, out, params);
#endif
}
MULTICAST(one_cluster) {
#if __CUDA_ARCH__ >= 900
  multicast<From::kOne, Scope::kCluster>(data, out, params);
#endif
}
MULTICAST(split_cluster) {
#if __CUDA_ARCH__ >= 900
  multicast<From::kSplit, Scope::kCluster>(data, out, params);
#endif
}
