// c = a + b in 4-byte loads and stores; 8 bytes read and 4 written a thread and tile.
#include "add_plain.cuh"

ADD_PLAIN(4, float)
