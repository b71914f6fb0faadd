// BARRIER(name, WAIT): one block waits for itself again and again, by WAIT(step), which is false in vain. <name>_alone does
// nothing else. In <name>_exchange each thread stores a word before each wait and reads its neighbour's behind it: 4 bytes
// stored and 4 read a step, in shared memory.
#pragma once

#include "params.h"

#define BARRIER(name, WAIT) BARRIER_OF(name##_alone, false, WAIT) BARRIER_OF(name##_exchange, true, WAIT)

#define BARRIER_OF(name, exchange, WAIT)                                                        \
  extern "C" __global__ void name(uint* result, uint* report, BarrierParams params) {           \
    __shared__ uint slots[2 * EXP09_THREADS]; /* what one step reads the next overwrites not */ \
    const uint thread = threadIdx.x;                                                            \
    const uint first = thread - thread % params.group;                                          \
    const uint neighbour = first + (thread - first + params.shift) % params.group;              \
    uint value = thread;                                                                        \
    uint step = 0;                                                                              \
    const long long begin = clock64();                                                          \
    _Pragma("unroll 1") for (; step < params.steps; step += params.advance) {                   \
      bool in_time = true;                                                                      \
      _Pragma("unroll") for (uint u = 0; u < EXP09_UNROLL; ++u) {                               \
        uint* half_of_slots = slots + (u & 1) * EXP09_THREADS;                                  \
        if (exchange) half_of_slots[thread] = value;                                            \
        in_time = WAIT(step + u) && in_time;                                                    \
        if (exchange) value = half_of_slots[neighbour] + 1;                                     \
      }                                                                                         \
      if (!in_time) break;                                                                      \
    }                                                                                           \
    const uint cycles = static_cast<uint>(clock64() - begin);                                   \
    result[thread] = value;                                                                     \
    if (thread == 0) {                                                                          \
      report[EXP09_CYCLES] = cycles;                                                            \
      report[EXP09_STEPS] = step;                                                               \
    }                                                                                           \
  }
