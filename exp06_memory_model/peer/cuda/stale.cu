// No GLSL twin: Vulkan's scopes end at the device, and its other GPU is behind a device group (see Device::peer).
// watch_*: one thread loads a word over and over until it changes, or the time is up. change: one thread on the other GPU
// changes it, once it is told that the watch has begun.
#include "cuda/kernels/timer.cuh"
#include "params.h"

#define LOAD(name, LOAD_PTX)                                                    \
  struct Load_##name {                                                          \
    static __device__ __forceinline__ uint load(const uint* from) {             \
      uint value;                                                               \
      asm volatile(LOAD_PTX " %0, [%1];" : "=r"(value) : "l"(from) : "memory"); \
      return value;                                                             \
    }                                                                           \
  };
LOAD(weak, "ld.global.u32")
LOAD(volatile, "ld.volatile.global.u32")
LOAD(relaxed, "ld.relaxed.sys.global.u32")
LOAD(acquire, "ld.acquire.sys.global.u32")

template <class Load>
__device__ __forceinline__ void watch(const uint* word, uint* told, uint* report, WatchParams params) {
  const uint before = Load::load(word);
  const unsigned long long begin = timer_ns();
  // Needs what was loaded: the change comes after the first look. Relaxed: a release's fence might touch the caches.
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(told), "r"(before + 1) : "memory");
  uint seen = before;
  uint polls = 1;
  unsigned long long now;
  // Always the same address, and no compiler knows: ptxas takes a plain load of a fixed one out of the loop.
#pragma unroll 1
  do {
#pragma unroll 1
    for (uint poll = 0; poll < EXP06_POLLS && seen == before; ++poll) {
      seen = Load::load(word + (polls & params.none));
      ++polls;
    }
    now = timer_ns();
  } while (seen == before && now - begin < params.bound_ns);
  report[EXP06_WATCH_SEEN] = seen;
  report[EXP06_WATCH_POLLS] = polls;
  report[EXP06_WATCH_NS] = static_cast<uint>(now - begin);
  report[EXP06_WATCH_STRONG] = Load_relaxed::load(word);
}

#define WATCH(name)                                                                                         \
  extern "C" __global__ void watch_##name(const uint* word, uint* told, uint* report, WatchParams params) { \
    watch<Load_##name>(word, told, report, params);                                                         \
  }
WATCH(weak)
WATCH(volatile)
WATCH(relaxed)

extern "C" __global__ void change(uint* word, const uint* told, ChangeParams params) {
  const unsigned long long begin = timer_ns();
#pragma unroll 1
  while (Load_acquire::load(told) == 0) {
    if (timer_ns() - begin > params.bound_ns) return;  // the word stays as it was, which fails the comparison
  }
  const unsigned long long heard = timer_ns();
#pragma unroll 1
  while (timer_ns() - heard < params.delay_ns) {
  }
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(EXP06_NEWS) : "memory");
}
