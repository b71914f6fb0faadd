// Everything written once in 8-byte stores; 8 bytes a thread and tile.
#include "write_plain.cuh"

WRITE_PLAIN(8, uint2)
