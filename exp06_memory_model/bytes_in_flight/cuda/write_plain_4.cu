// Everything written once in 4-byte stores; 4 bytes a thread and tile.
#include "write_plain.cuh"

WRITE_PLAIN(4, uint)
