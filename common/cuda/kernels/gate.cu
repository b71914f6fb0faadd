// One thread; reads a word of the host's memory until the host opens the gate. No Vulkan twin: a queue waits for a semaphore
// there (common/vulkan/measure/hold.h), and spin.comp follows it.
#include "cuda/kernels/params.h"
#include "cuda/kernels/wait.cuh"

extern "C" __global__ void gate(bench::cuda::GateParams params) {
  const unsigned long long begin = globaltimer();
  bool is_open = *params.open == params.number;
  // Bounded by turns, too, should the clock stand still: no turn takes less than a nanosecond.
  for (unsigned turn = 0; turn < params.bound_ns && !is_open && globaltimer() - begin < params.bound_ns; ++turn) {
    is_open = *params.open == params.number;
  }
  if (!is_open) *params.expired = params.number;
  wait(params.then_ns);
}
