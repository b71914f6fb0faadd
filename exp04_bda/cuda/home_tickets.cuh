// Persistent blocks of as many threads as a granule has vectors (256): those on the SMs that `runs` names take EXP04_TICKET
// granules of the list at a time, until it is empty, and the next ones before they begin with these. `take`: what is done with
// those taken.
#pragma once

#include "cuda/kernels/sm_id.cuh"
#include "params.h"

template <class Take>
__device__ __forceinline__ void take_granules(const uint4* granules, const uint* runs, uint* state, const HomesParams& params,
                                              Take take) {
  __shared__ uint ticket[2];
  const uint sm = sm_id();
  if (sm < params.sms && runs[sm] != 0) {
    uint next = 0;
    if (threadIdx.x == 0) next = atomicAdd(&state[0], EXP04_TICKET);
#pragma unroll 1
    for (uint turn = 0; turn <= params.count; ++turn) {
      if (threadIdx.x == 0) ticket[turn % 2] = next;
      __syncthreads();
      const uint first = ticket[turn % 2];
      if (first >= params.count) break;
      if (threadIdx.x == 0) next = atomicAdd(&state[0], EXP04_TICKET);
      take(granules[first / EXP04_TICKET]);
    }
  }
  // The last block to end leaves the state as it was found.
  if (threadIdx.x == 0 && atomicAdd(&state[1], 1u) == gridDim.x - 1) {
    atomicExch(&state[0], 0);
    atomicExch(&state[1], 0);
  }
}
