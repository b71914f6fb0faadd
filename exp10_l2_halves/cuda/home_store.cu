// What write_u32x4 stores, into the granules of a list: 16 bytes a thread in one access, coalesced.
#include "core/base/words.cuh"
#include "home_tickets.cuh"

extern "C" __global__ void __launch_bounds__(EXP10_GRANULE_VECTORS, 8)
    home_store(uint4* b, const uint4* granules, const uint* runs, uint* state, HomesParams params) {
  const auto store = [b](uint granule) {
    const uint i = granule * EXP10_GRANULE_VECTORS + threadIdx.x;
    words_of(i, b[i]);
  };
  take_granules(granules, runs, state, params, [&](uint4 taken) {
    store(taken.x);
    store(taken.y);
    store(taken.z);
    store(taken.w);
  });
}
