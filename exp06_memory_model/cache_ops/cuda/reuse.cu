// reuse_*: each round a block reads the next piece of a stream with the operator of the name, then a part of the reuse set with
// plain loads, and reads the clock before and after that part: 4 bytes a load, four loads under way.
// reuse_ro_*: the same with ld.global.nc for the reuse set: a promise that nothing writes it, GLSL's restrict readonly.
// keep_*: the same with the operator on the reuse set and plain loads on the stream.
// Only reuse_ro_plain and reuse_ro_volatile have GLSL twins: GLSL's other qualifiers say something else than PTX's operators,
// and without the promise no load of the set would be the same in both.
#include "operators.cuh"

template <class Load>
__device__ __forceinline__ uint sum_of(const uint* words, uint first, uint count, uint mask, uint advance, Load load) {
  uint sum = 0;
  uint i = first + threadIdx.x;
#pragma unroll 1
  for (uint n = 0; n < count; n += advance) {
    uint value[EXP06_UNROLL];
    for (uint u = 0; u < EXP06_UNROLL; ++u, i += blockDim.x) value[u] = load(words + (i & mask));
    for (uint u = 0; u < EXP06_UNROLL; ++u) sum += value[u];
  }
  return sum;
}

// The first round, in which nothing can be found again, is not in the cycles.
template <class Pass, class Again>
__device__ __forceinline__ void reuse(const uint* stream, const uint* set, uint* out, const CacheParams& params, Pass pass,
                                      Again again) {
  uint sum = 0;
  long long cycles = 0;
#pragma unroll 1
  for (uint round = 0; round < params.rounds; ++round) {
    sum += sum_of(stream, EXP06_STREAM_AT(blockIdx.x, gridDim.x, round, params), params.stream_words, params.stream_mask,
                  params.advance, pass);
    __syncthreads();
    const long long begin = clock64();
    sum += sum_of(set, EXP06_PART(blockIdx.x, gridDim.x, round, params) * params.reuse_words, params.reuse_words, ~0U,
                  params.advance, again);
    __syncthreads();
    if (round > 0) cycles += clock64() - begin;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) out[gridDim.x * blockDim.x + blockIdx.x] = static_cast<uint>(cycles);
}

#define REUSE(name)                                                                                             \
  extern "C" __global__ void reuse_##name(const uint* stream, const uint* set, uint* out, CacheParams params) { \
    reuse(stream, set, out, params, load_##name, load_plain);                                                   \
  }
#define REUSE_READ_ONLY(name)                                                                                      \
  extern "C" __global__ void reuse_ro_##name(const uint* stream, const uint* set, uint* out, CacheParams params) { \
    reuse(stream, set, out, params, load_##name, load_nc);                                                         \
  }
#define KEEP(name)                                                                                             \
  extern "C" __global__ void keep_##name(const uint* stream, const uint* set, uint* out, CacheParams params) { \
    reuse(stream, set, out, params, load_plain, load_##name);                                                  \
  }

EACH_LOAD(REUSE)
EACH_BESIDE_READ_ONLY(REUSE_READ_ONLY)
KEEP(l1_evict_last)
KEEP(l2_evict_last)
