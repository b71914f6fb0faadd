// No GLSL twin: Vulkan has no clusters.
// Every block of a cluster reads the same chunks through rings in its shared memory: four chunks of 4 KiB a warp, or one ring
// of four chunks of 32 KiB that all warps read a part of (*_32k). They come there by bulk copies of the block's own (own), by
// those of rank 0 alone, which go to all (one), or in parts, each rank copying its part to all (split). Who copies to others
// has to be told by all of them that they are done with what lay there: released to their own block and acquired for the
// other, as it is done in practice, or to the cluster (*_cluster); or all meet at the cluster's barrier (one_sync).
// In *_producer_32k a ninth warp copies and reads nothing: no reader waits for the slowest block (as in CUTLASS,
// "warp-specialized" kernels).
#include "multicast_parts.cuh"

// Who copies to a block's ring: the block itself; rank 0 to all blocks of the cluster; each rank its part to all; rank 0, after
// all have met at the cluster's barrier.
enum class From { kOwn, kOne, kSplit, kOneSync };

// WARPS: so many share a ring, whose chunks have 4 KiB for each of them. PRODUCER: the block has one warp more, which copies.
template <From FROM, uint WARPS = 1, Scope SCOPE = Scope::kBlock, bool PRODUCER = false>
__device__ __forceinline__ void multicast(const unsigned char* data, uint* out, const ClusterParams& params) {
  // Who this thread is.
  static_assert(!PRODUCER || (WARPS == EXP06_RING_WARPS && FROM != From::kOneSync));
  const bool produces = PRODUCER && threadIdx.x >= 32 * EXP06_RING_WARPS;
  const uint warp = produces ? 0 : threadIdx.x / 32;
  const uint lane = threadIdx.x % 32;
  const bool leads = !produces && threadIdx.x % (32 * WARPS) == 0;  // of the warps that share a ring
  const uint rank = cluster_rank();
  const uint blocks = cluster_blocks();
  constexpr bool kMeets = FROM == From::kOneSync;
  const bool copies = FROM == From::kOwn || FROM == From::kSplit || rank == 0;
  constexpr bool kAlone = FROM == From::kOwn && WARPS == 1;  // nobody else reads what it copies

  // Its ring: slots for EXP06_STAGES chunks, each with a barrier for `its chunk has come` and one for `all have read it`.
  extern __shared__ __align__(128) unsigned char memory[];  // the rings, then their barriers
  constexpr uint kRings = EXP06_RING_WARPS / WARPS;
  constexpr uint kChunkBytes = WARPS * EXP06_CHUNK_BYTES;
  constexpr uint kRingBytes = EXP06_STAGES * kChunkBytes;
  unsigned char* ring = memory + warp / WARPS * kRingBytes;
  unsigned long long* full =
      reinterpret_cast<unsigned long long*>(memory + kRings * kRingBytes) + warp / WARPS * 2 * EXP06_STAGES;
  unsigned long long* empty = full + EXP06_STAGES;
  const unsigned char* mine = ring + warp % WARPS * EXP06_CHUNK_BYTES;  // the warp's piece of a chunk

  // What goes through it: chunks first, first + step ..., and the part of each that the block copies.
  const uint chunks = params.steps / WARPS;
  const uint first = blockIdx.x / blocks * kRings + warp / WARPS;
  const uint step = gridDim.x / blocks * kRings;
  const uint turns = first < chunks ? (chunks - first + step - 1) / step : 0;
  const uint part = FROM == From::kSplit ? kChunkBytes / blocks : kChunkBytes;
  const uint offset = FROM == From::kSplit ? rank * part : 0;
  const unsigned short all = static_cast<unsigned short>((1u << blocks) - 1);

  __shared__ uint total;
  __shared__ uint failed;  // one_sync, rank 0's

  // By one thread.
  const auto start = [&] {
    for (uint stage = 0; stage < EXP06_STAGES; ++stage) {
      barrier_init(&full[stage]);
      // Every warp that reads the chunk, in every block that it is copied to. A warp that copies for itself alone knows.
      barrier_init(&empty[stage], FROM == From::kOwn && WARPS > 1 ? WARPS : blocks * WARPS);
    }
    fence_barrier_init();
    fence_async();
    for (uint turn = 0; turn < EXP06_STAGES && turn < turns; ++turn) barrier_expect(&full[turn], kChunkBytes);
  };
  // By one thread.
  const auto copy = [&](uint turn) {
    const uint stage = turn % EXP06_STAGES;
    unsigned char* to = ring + stage * kChunkBytes + offset;
    const unsigned char* from =
        data + static_cast<size_t>((first + turn * step) & (params.chunks / WARPS - 1)) * kChunkBytes + offset;
    if constexpr (FROM == From::kOwn) {
      bulk_load(to, from, part, &full[stage]);
    } else {
      bulk_load_to(to, from, part, &full[stage], all);
    }
  };
  // By a warp, to all that copy into the slot: it is done with what lies there.
  const auto release = [&](uint stage) {
    if constexpr (FROM == From::kOwn) {
      if (lane == 0) barrier_arrive(&empty[stage]);
    } else if (lane < (FROM == From::kSplit ? blocks : 1)) {
      arrive_at<SCOPE>(at_rank(&empty[stage], lane));
    }
  };

  if (threadIdx.x == 0) total = 0;
  if (kMeets && threadIdx.x == 0) failed = 0;
  if (leads) start();
  __syncthreads();
  cluster_sync();  // nobody copies before all barriers are there
  const uint begin = cycles();
  if (PRODUCER ? produces && lane == 0 && copies : leads && copies) {
    for (uint turn = 0; turn < EXP06_STAGES && turn < turns; ++turn) copy(turn);
  }
  __syncwarp();

  uint sum = 0;
  bool ok = true;
  if (produces && lane == 0 && copies) {
    for (uint turn = 0; ok && turn + EXP06_STAGES < turns; ++turn) {
      ok = wait<SCOPE>(&empty[turn % EXP06_STAGES], turn / EXP06_STAGES & 1);
      if (ok) copy(turn + EXP06_STAGES);
    }
  }
  __syncwarp();
  // one_sync: a warp whose wait has run out waits no more, and comes to all barriers that are left; rank 0 copies no more.
#pragma unroll 1
  for (uint turn = 0; !produces && turn < turns && (ok || kMeets); ++turn) {
    const uint stage = turn % EXP06_STAGES;
    const uint parity = turn / EXP06_STAGES & 1;
    if (!kMeets || ok) ok = __all_sync(0xffffffffu, wait<SCOPE>(&full[stage], parity));
    sum += sum_of_piece(mine + stage * kChunkBytes, lane);
    const bool more = (ok || kMeets) && turn + EXP06_STAGES < turns;
    if (more && ok && leads) barrier_expect(&full[stage], kChunkBytes);  // before anyone hears that the slot is free
    __syncwarp();                                                        // every lane has read its part
    if (!more) continue;

    if constexpr (kMeets) {
      if (!ok && lane == 0) tell_failed(at_rank(&failed, 0));
      cluster_sync();
      if (copies && leads && !has_failed(&failed)) copy(turn + EXP06_STAGES);
    } else if constexpr (kAlone) {
      if (leads) copy(turn + EXP06_STAGES);
    } else {
      release(stage);
      if (!PRODUCER && copies && leads) {
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

#define MULTICAST(name, ...)                                                                    \
  CLUSTER_KERNEL multicast_##name(const unsigned char* data, uint* out, ClusterParams params) { \
    multicast<__VA_ARGS__>(data, out, params);                                                  \
  }

MULTICAST(own, From::kOwn)
MULTICAST(one, From::kOne)
MULTICAST(split, From::kSplit)
MULTICAST(one_cluster, From::kOne, 1, Scope::kCluster)
MULTICAST(split_cluster, From::kSplit, 1, Scope::kCluster)
MULTICAST(own_32k, From::kOwn, EXP06_RING_WARPS)
MULTICAST(one_32k, From::kOne, EXP06_RING_WARPS)
MULTICAST(split_32k, From::kSplit, EXP06_RING_WARPS)
MULTICAST(one_sync_32k, From::kOneSync, EXP06_RING_WARPS)
MULTICAST(own_producer_32k, From::kOwn, EXP06_RING_WARPS, Scope::kBlock, true)
MULTICAST(one_producer_32k, From::kOne, EXP06_RING_WARPS, Scope::kBlock, true)
