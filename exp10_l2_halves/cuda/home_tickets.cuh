// Persistent blocks of as many threads as a granule has vectors (256): those on the SMs that `runs` names take EXP10_TICKET
// granules of the list at a time, until it is empty. `take`: what is done with those taken. While that is done, the next ones
// are looked up and the ticket after theirs is drawn: how far the list and the counter are from an SM is not to be seen.
#pragma once

#include "cuda/kernels/sm_id.cuh"
#include "params.h"

template <class Take>
__device__ __forceinline__ void take_granules(const uint4* granules, const uint* runs, uint* state, const HomesParams& params,
                                              Take take) {
  __shared__ uint ticket[2];
  __shared__ uint4 listed[2];
  const uint sm = sm_id();
  uint next = 0;
  if (sm < params.sms && runs[sm] != 0) {
    uint now = 0;
    uint4 taken = {};
    if (threadIdx.x == 0) {
      now = atomicAdd(&state[0], EXP10_TICKET);
      next = atomicAdd(&state[0], EXP10_TICKET);
      if (now < params.count) taken = granules[now / EXP10_TICKET];
    }
#pragma unroll 1
    for (uint turn = 0; turn <= params.count; ++turn) {
      if (threadIdx.x == 0) {
        ticket[turn % 2] = now;
        listed[turn % 2] = taken;
      }
      __syncthreads();
      if (ticket[turn % 2] >= params.count) break;
      if (threadIdx.x == 0) {
        now = next;
        next = atomicAdd(&state[0], EXP10_TICKET);
        if (now < params.count) taken = granules[now / EXP10_TICKET];
      }
      take(listed[turn % 2]);
    }
  }
  // The last block to end leaves the state as it was found; `none` makes each wait for the last ticket that it has drawn.
  if (threadIdx.x == 0 && atomicAdd(&state[1], 1u + (next & params.none)) == gridDim.x - 1) {
    atomicExch(&state[0], 0);
    atomicExch(&state[1], 0);
  }
}
