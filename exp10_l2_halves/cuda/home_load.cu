// Sums the words of the granules of a list: 16 bytes a thread in one access, coalesced, four under way. Each thread stores its
// sum, 4 bytes in all.
#include "home_tickets.cuh"

extern "C" __global__ void __launch_bounds__(EXP10_GRANULE_VECTORS, 8)
    home_load(const uint4* b, const uint4* granules, const uint* runs, uint* state, uint* sums, HomesParams params) {
  uint sum = 0;
  const auto load = [b](uint granule) { return b[granule * EXP10_GRANULE_VECTORS + threadIdx.x]; };
  take_granules(granules, runs, state, params, [&](uint4 taken) {
    const uint4 x = load(taken.x);
    const uint4 y = load(taken.y);
    const uint4 z = load(taken.z);
    const uint4 w = load(taken.w);
    sum += x.x + x.y + x.z + x.w + y.x + y.y + y.z + y.w + z.x + z.y + z.z + z.w + w.x + w.y + w.z + w.w;
  });
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
