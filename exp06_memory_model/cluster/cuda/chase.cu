// No GLSL twin: Vulkan has no clusters.
// Loads that each need the one before: thread 0 of rank 0 follows a chain through the shared memory of rank `distance`, 4 bytes
// a step. The words are offsets in bytes, so that a step is the load and one addition.
#include "cluster.cuh"

#define CHASE(name) CLUSTER_KERNEL chase_##name(const uint* table, uint* out, ClusterParams params)

__device__ __forceinline__ void fill_table(uint* table) {
  for (uint i = threadIdx.x; i < EXP06_TABLE_WORDS; i += blockDim.x) table[i] = 4 * EXP06_NEXT_WORD(i, EXP06_TABLE_WORDS);
}

template <class Load>
__device__ __forceinline__ uint follow(const Load& load, uint steps, uint& elapsed) {
  uint offset = 0;
  const uint begin = cycles();
#pragma unroll 1
  for (uint step = 0; step < steps; step += 4) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) offset = load(offset);
  }
  elapsed = cycles() - begin;
  return offset;
}

// make(address of the table in shared::cluster) returns the load.
template <class Make>
__device__ __forceinline__ void chase(const Make& make, uint* out, const ClusterParams& params) {
  __shared__ uint words[EXP06_TABLE_WORDS];
  fill_table(words);
  cluster_sync();
  uint result = 0;
  uint elapsed = 0;
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    result = follow(make(words, at_rank(words, params.distance)), params.steps, elapsed);
  }
  cluster_sync();
  if (threadIdx.x == 0) record(out, true, result, elapsed);
}

__device__ __forceinline__ uint load_cluster(uint from) {
  uint value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
  return value;
}

// The block's own, as shared::cta.
CHASE(local) {
  const auto make = [](const uint* words, uint) {
    return [base = shared_address(words)](uint offset) {
      uint value;
      asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(base + offset) : "memory");
      return value;
    };
  };
  chase(make, out, params);
}

CHASE(load) {
  const auto make = [](const uint*, uint base) { return [base](uint offset) { return load_cluster(base + offset); }; };
  chase(make, out, params);
}

// Adds 0: an atomic operation's way there and back.
CHASE(atom) {
  const auto make = [](const uint*, uint base) {
    return [base](uint offset) {
      uint value;
      asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(value) : "r"(base + offset) : "memory");
      return value;
    };
  };
  chase(make, out, params);
}

// A table in global memory that the L2 holds.
CHASE(l2) {
  const auto make = [table](const uint*, uint) {
    return [base = __cvta_generic_to_global(table)](uint offset) {
      uint value;
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(base + offset) : "memory");
      return value;
    };
  };
  chase(make, out, params);
}

// Every pair of a cluster, one after the other: for each reading block and each rank whose memory it reads, where the chase
// ended and how long it took. Before them, each block's SM.
CLUSTER_KERNEL pair_map(const uint*, uint* out, ClusterParams) {
  __shared__ uint words[EXP06_TABLE_WORDS];
  fill_table(words);
  const uint blocks = cluster_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = sm_id();
  cluster_sync();
#pragma unroll 1
  for (uint reader = 0; reader < blocks; ++reader) {
    if (cluster_rank() == reader && threadIdx.x == 0) {
#pragma unroll 1
      for (uint owner = 0; owner < blocks; ++owner) {
        const uint base = at_rank(words, owner);
        uint elapsed;
        const uint result = follow([base](uint offset) { return load_cluster(base + offset); }, EXP06_PAIR_STEPS, elapsed);
        uint* mine = out + gridDim.x + 2 * (blockIdx.x * blocks + owner);
        mine[0] = result;
        mine[1] = elapsed;
      }
    }
    cluster_sync();
  }
}
