// No GLSL twin: Vulkan has no clusters.
// Barriers, one after another, by all threads: of a block, of a cluster split into arrival and wait, and of many blocks through
// a counter in global memory. *_before and *_between do `work` steps of arithmetic before each arrival, or between it and the
// wait.
//
// The first thread of the first block comes late to the last barrier, and everybody notes when it came and when it left:
// nobody may leave before all have come.
#include "cluster.cuh"

#define BARRIER(name) CLUSTER_KERNEL barrier_##name(uint* state, uint* out, ClusterParams params)

enum class Work { kNone, kBefore, kBetween };

__device__ __forceinline__ uint spin(uint value, uint steps) {
#pragma unroll 1
  for (uint i = 0; i < steps; ++i) value = EXP06_CHAIN(value);
  return value;
}

// Kind::arrive() and wait(); both are called by all threads.
template <Work WORK, class Kind>
__device__ __forceinline__ void barriers(Kind& kind, uint* out, const ClusterParams& params, uint blocks) {
  uint value = blockIdx.x;
  kind.arrive();
  kind.wait();
  const uint begin = cycles();
#pragma unroll 1
  for (uint i = 0; i < params.steps; ++i) {
    if constexpr (WORK == Work::kBefore) value = spin(value, params.work);
    kind.arrive();
    if constexpr (WORK == Work::kBetween) value = spin(value, params.work);
    kind.wait();
  }
  const uint elapsed = cycles() - begin;
  uint* mine = out + blockIdx.x * EXP06_RECORD_WORDS;
  if (threadIdx.x == 0) {
    if (blockIdx.x % blocks == 0) {
      const unsigned long long now = timer_ns();
      while (timer_ns() - now < EXP06_LATE_NS) {
      }
    }
    mine[EXP06_TIME_IN] = static_cast<uint>(timer_ns());
  }
  __syncwarp();
  kind.arrive();
  kind.wait();
  if (threadIdx.x == blockDim.x - 1) mine[EXP06_TIME_OUT] = static_cast<uint>(timer_ns());
  const bool ok = kind.leave();
  cluster_sync();
  if (threadIdx.x == 0) record(out, ok, value, elapsed, false);
}

struct OfBlock {
  __device__ __forceinline__ void arrive() {}
  __device__ __forceinline__ void wait() { __syncthreads(); }
  __device__ __forceinline__ bool leave() { return true; }
};

template <bool RELEASE>
struct OfCluster {
  __device__ __forceinline__ void arrive() {
    if (RELEASE) {
      arrive_release();
    } else {
      arrive_relaxed();
    }
  }
  __device__ __forceinline__ void wait() { cluster_wait(); }
  __device__ __forceinline__ bool leave() { return true; }
};

// One thread a block counts its block in, and polls until all are. The counter goes up to the end of the launch; whoever leaves
// last sets it back.
struct OfCounter {
  uint* counter;  // and beside it how many blocks have left
  uint blocks;
  uint target = 0;
  bool ok = true;

  __device__ __forceinline__ size_t at() const { return __cvta_generic_to_global(counter); }
  __device__ __forceinline__ void arrive() {
    __syncthreads();
    target += blocks;
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(at()) : "memory");
  }
  __device__ __forceinline__ void wait() {
    if (threadIdx.x == 0 && ok) {
      uint count = 0;
#pragma unroll 1
      for (uint poll = 0; poll < EXP06_GLOBAL_POLLS && static_cast<int>(count - target) < 0; ++poll) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(at()) : "memory");
      }
      ok = static_cast<int>(count - target) >= 0;
    }
    __syncthreads();
  }
  __device__ __forceinline__ bool leave() {
    if (threadIdx.x == 0 && atomicAdd(counter + 1, 1) == blocks - 1) {
      atomicExch(counter, 0);
      atomicExch(counter + 1, 0);
    }
    return ok;
  }
};

BARRIER(syncthreads) {
  OfBlock kind;
  barriers<Work::kNone>(kind, out, params, 1);
}

#define CLUSTER_BARRIER(name, RELEASE, WORK)             \
  BARRIER(name) {                                        \
    OfCluster<RELEASE> kind;                             \
    barriers<WORK>(kind, out, params, cluster_blocks()); \
  }
CLUSTER_BARRIER(release, true, Work::kNone)
CLUSTER_BARRIER(release_before, true, Work::kBefore)
CLUSTER_BARRIER(release_between, true, Work::kBetween)
CLUSTER_BARRIER(relaxed, false, Work::kNone)
CLUSTER_BARRIER(relaxed_before, false, Work::kBefore)
CLUSTER_BARRIER(relaxed_between, false, Work::kBetween)

// The blocks of a cluster, each cluster with a counter of its own in a line of its own.
BARRIER(counter) {
  OfCounter kind{state + blockIdx.x / cluster_blocks() * 32, cluster_blocks()};
  barriers<Work::kNone>(kind, out, params, cluster_blocks());
}

// All blocks of the launch, which must all be on the GPU at once.
BARRIER(grid_counter) {
  OfCounter kind{state, gridDim.x};
  barriers<Work::kNone>(kind, out, params, gridDim.x);
}
