// Every element of 4 bytes written once, neighbouring threads `stride` elements apart.
#include "stride.cuh"

WRITE(write_once_4, uint, EXP05_ONCE)
