// Every element of 8 bytes written once, neighbouring threads `stride` elements apart.
#include "stride.cuh"

WRITE(write_once_8, uint2, EXP05_ONCE)
