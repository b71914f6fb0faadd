// c = a + b in 8-byte loads and stores; 16 bytes read and 8 written a thread and tile.
#include "add_plain.cuh"

ADD_PLAIN(8, float2)
