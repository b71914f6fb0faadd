// Everything read once in 8-byte loads; 8 * UNROLL bytes in flight a thread.
#include "exp06_memory_model/cuda/read_plain.cuh"

READ_PLAIN(8, uint2, 1)
READ_PLAIN(8, uint2, 2)
READ_PLAIN(8, uint2, 4)
READ_PLAIN(8, uint2, 8)
