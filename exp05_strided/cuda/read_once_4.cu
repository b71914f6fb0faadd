// Every element of 4 bytes read once, neighbouring threads `stride` elements apart; the sum of what a thread visits is stored.
#include "stride.cuh"

READ(read_once_4, uint, EXP05_ONCE)
