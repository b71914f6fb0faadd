// Every element of 16 bytes read once, neighbouring threads `stride` elements apart; the sum of what a thread visits is stored.
#include "stride.cuh"

READ(read_once_16, uint4, EXP05_ONCE)
