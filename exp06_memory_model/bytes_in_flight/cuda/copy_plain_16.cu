// b = a in 16-byte loads and stores; 16 * UNROLL bytes read and as many written a thread and tile.
#include "copy_plain.cuh"

COPY_PLAIN(16, uint4, 1)
COPY_PLAIN(16, uint4, 2)
COPY_PLAIN(16, uint4, 4)
COPY_PLAIN(16, uint4, 8)
