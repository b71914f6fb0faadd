// Everything written once in 16-byte stores; 16 bytes a thread and tile.
#include "write_plain.cuh"

WRITE_PLAIN(16, uint4)
