// One thread of a block measures one granule after another: 32 dependent atomics, each to another of its 128-byte lines, which
// the L2 has by then. An atomic is done where the line has its home: a load might find a copy. The SMs of a row of `cycles`
// share its granules by tickets.
#include "cuda/kernels/sm_id.cuh"
#include "params.h"

extern "C" __global__ void find_homes(uint* words, const uint* rows, uint* tickets, uint* cycles, HomesParams params) {
  const uint sm = sm_id();
  if (threadIdx.x != 0 || sm >= params.sms) return;
  const uint row = rows[sm];
#pragma unroll 1
  for (uint turn = 0; turn < params.count; ++turn) {
    const uint ticket = atomicAdd(&tickets[row], 1u);
    if (ticket >= params.count) break;
    const uint index = EXP10_MEASURED(ticket, row, params);
    uint* granule = words + EXP10_GRANULE(index, params) * EXP10_GRANULE_WORDS;
#pragma unroll 1
    for (uint line = 0; line < EXP10_LINES; ++line) atomicAdd(granule + line * EXP10_LINE_WORDS, params.none);
    uint at = 0;
    long long begin = 0;
#pragma unroll 1
    for (uint round = 0; round < 2; ++round) {  // the first waits for the lines
      begin = clock64();
#pragma unroll 1
      for (uint line = 0; line < EXP10_LINES; ++line) {
        const uint value = atomicAdd(granule + at, params.none);
        at = EXP10_NEXT_LINE(at, value & params.none);
      }
    }
    cycles[row * params.count + index] = static_cast<uint>(clock64() - begin);
  }
}
