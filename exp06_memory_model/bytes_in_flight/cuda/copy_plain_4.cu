// b = a in 4-byte loads and stores; 4 * UNROLL bytes read and as many written a thread and tile.
#include "copy_plain.cuh"

COPY_PLAIN(4, uint, 1)
COPY_PLAIN(4, uint, 2)
COPY_PLAIN(4, uint, 4)
