// No GLSL twin: Vulkan has no clusters.
// The source's two examples, 8 blocks in one cluster; every thread's word is written.
#include "cluster.cuh"
#include "example_params.h"

// Every thread adds 100 times its rank to a word of its neighbour's shared memory.
CLUSTER_KERNEL example_dsmem(const uint*, uint* out, ClusterParams) {
  __shared__ uint words[32];
  words[threadIdx.x] = blockIdx.x * 10000 + threadIdx.x;
  cluster_sync();
  const uint at = at_rank(&words[threadIdx.x], cluster_rank() ^ 1);
  uint value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value + cluster_rank() * 100) : "memory");
  cluster_sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

// One thread of rank 0 has the tensor memory accelerator copy a tile into the shared memory of the ranks in a mask. In the
// source rank 0 alone announces the bytes; here all do that get some, so that each knows when its own are there.
CLUSTER_KERNEL example_multicast(const uint*, uint* out, const __grid_constant__ ExampleParams params) {
  __shared__ __align__(128) uint tile[EXP06_EXAMPLE_TILE];
  __shared__ unsigned long long barrier;
  const bool gets = (EXP06_EXAMPLE_MASK >> cluster_rank() & 1) != 0;
  if (threadIdx.x < EXP06_EXAMPLE_TILE) tile[threadIdx.x] = 0;
  fence_async();
  if (threadIdx.x == 0) {
    barrier_init(&barrier);
    fence_barrier_init();
    if (gets) barrier_expect(&barrier, sizeof(tile));
  }
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile)),
        "l"(&params.map), "r"(EXP06_EXAMPLE_FIRST), "r"(0), "r"(shared_address(&barrier)),
        "h"(static_cast<unsigned short>(EXP06_EXAMPLE_MASK))
        : "memory");
  }
  const bool ok = !gets || cluster_barrier_wait(&barrier, 0);
  cluster_sync();  // what the others have got is there, so what 2 and 6 have is all that comes
  if (threadIdx.x < EXP06_EXAMPLE_TILE) {
    out[blockIdx.x * EXP06_EXAMPLE_TILE + threadIdx.x] = ok ? tile[threadIdx.x] : EXP06_TIMED_OUT;
  }
}
