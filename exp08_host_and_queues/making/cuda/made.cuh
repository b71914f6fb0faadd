// One word a thread, by STEPS steps from its index and the mark: 4 bytes written. Nothing is included: NVRTC compiles the same
// text.
#define MADE(name, mark, steps)                                                                                  \
  extern "C" __global__ void name(unsigned int* words) {                                                         \
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;                                                \
    unsigned int x = i ^ mark;                                                                                   \
    _Pragma("unroll") for (unsigned int k = 0; k < steps; ++k) { x = (x ^ (x >> 15)) * (2654435761u + 2u * k); } \
    words[i] = x;                                                                                                \
  }
