// read_once_4 with the post's index, which visits some elements often and others never.
#include "stride.cuh"

READ(read_folded, uint, EXP05_FOLDED)
