// One thread; writes 4 bytes. A kernel of known length, to test the timer with.
#include "cuda/kernels/params.h"
#include "cuda/kernels/wait.cuh"

extern "C" __global__ void spin(unsigned* elapsed_ns, bench::cuda::WaitParams params) { *elapsed_ns = wait(params.ns); }
