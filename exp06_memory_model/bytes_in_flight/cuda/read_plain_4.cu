// Everything read once in 4-byte loads; 4 * UNROLL bytes in flight a thread.
#include "exp06_memory_model/cuda/read_plain.cuh"

READ_PLAIN(4, uint, 1)
READ_PLAIN(4, uint, 2)
READ_PLAIN(4, uint, 4)
READ_PLAIN(4, uint, 8)
