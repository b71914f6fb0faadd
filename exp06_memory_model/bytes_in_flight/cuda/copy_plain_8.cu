// b = a in 8-byte loads and stores; 8 bytes read and as many written a thread and tile.
#include "copy_plain.cuh"

COPY_PLAIN(8, uint2, 1)
