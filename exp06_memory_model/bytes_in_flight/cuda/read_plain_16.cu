// Everything read once in 16-byte loads; 16 * UNROLL bytes in flight a thread.
#include "exp06_memory_model/cuda/read_plain.cuh"

READ_PLAIN(16, uint4, 1)
READ_PLAIN(16, uint4, 2)
READ_PLAIN(16, uint4, 4)
READ_PLAIN(16, uint4, 8)
