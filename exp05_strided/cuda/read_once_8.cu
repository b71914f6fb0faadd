// Every element of 8 bytes read once, neighbouring threads `stride` elements apart; the sum of what a thread visits is stored.
#include "stride.cuh"

READ(read_once_8, uint2, EXP05_ONCE)
