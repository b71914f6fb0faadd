// The kernels that only write: WORD(i) into word i of the output, 16 bytes a thread in one access, coalesced.
#pragma once

#include "force.cuh"
#include "params.h"

#define WRITE(name, WORD, features, block)                                                          \
  extern "C" __global__ void name(uint4* b, BdaParams params) {                                     \
    const uint i = thread_index<block>();                                                           \
    const uint4 words = make_uint4(WORD(i * 4), WORD(i * 4 + 1), WORD(i * 4 + 2), WORD(i * 4 + 3)); \
    if (i < params.count) store<(features)>(b, i, params.out_bytes, words);                         \
  }
