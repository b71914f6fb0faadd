// One thread of block 0 follows addresses through a table, 8 bytes of a 128-byte line a step, while the other blocks load tiles
// of blockDim x UNROLL 16-byte vectors and wait a while after each, until the chase is done or their turns are over.
#include "cuda/kernels/timer.cuh"
#include "exp06_memory_model/loaded_latency/cuda/follow.cuh"

// The only load that sees the flag change.
__device__ __forceinline__ uint load_strong(const uint* from) {
  uint value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

__device__ __forceinline__ uint spin(uint value, uint slices) {
#pragma unroll 1
  for (uint i = 0; i < slices; ++i) value = EXP06_SPUN(value);
  return value;
}

__device__ __forceinline__ void chase(const unsigned char* table, uint* state, uint* results, const LoadedParams& params) {
  const unsigned long long begin = timer_ns();
  results[0] = follow(table, params.lines, params.steps);
  results[1] = static_cast<uint>(timer_ns() - begin);
  atomicExch(&state[0], 1);
}

template <uint UNROLL>
__device__ __forceinline__ void stream(const uint4* data, const uint* state, uint* results, const LoadedParams& params) {
  const uint streamer = blockIdx.x - 1;
  const uint streamers = gridDim.x - 1;
  const uint thread = streamer * blockDim.x + threadIdx.x;
  uint spun = spin(thread, EXP06_PHASE(thread / 32, params));
  uint sum = 0;
  uint turn = 0;
  uint until_poll = params.poll;
  bool done = false;
#pragma unroll 1
  while (turn < params.turns && !done) {
    const uint first = EXP06_TILE(streamer, streamers, turn, params) * blockDim.x * UNROLL + threadIdx.x;
    uint4 value[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) value[u] = data[first + u * blockDim.x];
    // Never taken, and decided by all loads: no compiler can use one of them before the last is issued.
    uint seen = params.none;
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) seen &= value[u].x;
    if (seen != 0) break;
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
    ++turn;
    uint left = params.wait;
#pragma unroll 1
    do {
      const uint cut = min(left, EXP06_CUT);
      spun = spin(spun, cut);
      left -= cut;
      if (--until_poll == 0) {
        until_poll = params.poll;
        done = load_strong(state) != 0;
      }
    } while (left != 0 && !done);
  }
  results[EXP06_RESULT_HEAD + 2 * thread] = turn;
  results[EXP06_RESULT_HEAD + 2 * thread + 1] = sum + (spun & params.none);
}

template <uint UNROLL>
__device__ __forceinline__ void loaded_chase(const unsigned char* table, const uint4* data, uint* state, uint* results,
                                             const LoadedParams& params) {
  if (blockIdx.x != 0) {
    stream<UNROLL>(data, state, results, params);
  } else if (threadIdx.x == 0) {
    chase(table, state, results, params);
  }
  // The last block to end leaves the state as it was found.
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&state[1], 1) == gridDim.x - 1) {
    atomicExch(&state[0], 0);
    atomicExch(&state[1], 0);
  }
}

#define LOADED_CHASE(unroll)                                                                                                  \
  extern "C" __global__ void loaded_chase_##unroll(const unsigned char* table, const uint4* data, uint* state, uint* results, \
                                                   LoadedParams params) {                                                     \
    loaded_chase<unroll>(table, data, state, results, params);                                                                \
  }
LOADED_CHASE(2)
LOADED_CHASE(4)
LOADED_CHASE(8)
