// Every element of 16 bytes written once, neighbouring threads `stride` elements apart.
#include "stride.cuh"

WRITE(write_once_16, uint4, EXP05_ONCE)
