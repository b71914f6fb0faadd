// No GLSL twin: Vulkan's scopes end at the device, and its other GPU is behind a device group (see Device::peer).
// One thread: it sends the number after the one that it received last, `rounds` times. Its partner on the other GPU does the
// same. Where the flags lie is the launch's business. No wait is without an end.
#include "cuda/kernels/timer.cuh"
#include "params.h"

#define FLAG(name, SEND, POLL)                                                                               \
  struct Mail_##name {                                                                                       \
    static __device__ __forceinline__ void send(uint* flag, uint value) {                                    \
      asm volatile(SEND " [%0], %1;" ::"l"(flag), "r"(value) : "memory");                                    \
    }                                                                                                        \
    static __device__ __forceinline__ uint poll(const uint* flag) {                                          \
      uint value;                                                                                            \
      asm volatile(POLL " %0, [%1];" : "=r"(value) : "l"(flag) : "memory");                                  \
      return value;                                                                                          \
    }                                                                                                        \
  };                                                                                                         \
  extern "C" __global__ void flag_##name(uint* outbox, const uint* inbox, uint* report, FlagParams params) { \
    exchange<Mail_##name>(outbox, inbox, report, params);                                                    \
  }

// The number that replaces `last`; `last` if none does in time.
template <class Mail>
__device__ __forceinline__ uint receive(const uint* inbox, uint last, uint bound_ns) {
  const unsigned long long begin = timer_ns();
#pragma unroll 1
  do {
#pragma unroll 1
    for (uint poll = 0; poll < EXP06_POLLS; ++poll) {
      const uint value = Mail::poll(inbox);
      if (value != last) return value;
    }
  } while (timer_ns() - begin < bound_ns);
  return last;
}

template <class Mail>
__device__ __forceinline__ void exchange(uint* outbox, const uint* inbox, uint* report, const FlagParams& params) {
  unsigned long long begin = timer_ns();
  uint last = 0;
  if (params.starts != 0) Mail::send(outbox, 1);
#pragma unroll 1
  for (uint round = 0; round < params.rounds; ++round) {
    if (round == params.untimed) begin = timer_ns();
    const uint value = receive<Mail>(inbox, last, params.bound_ns);
    if (value == last) break;  // the number reported then fails the comparison
    last = value;
    if (params.starts == 0 || round + 1 < params.rounds) Mail::send(outbox, value + 1);
  }
  report[EXP06_FLAG_VALUE] = last;
  report[EXP06_FLAG_NS] = static_cast<uint>(timer_ns() - begin);
}

FLAG(relaxed, "st.relaxed.sys.global.u32", "ld.relaxed.sys.global.u32")
FLAG(acq_rel, "st.release.sys.global.u32", "ld.acquire.sys.global.u32")
