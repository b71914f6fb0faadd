// write_u32x4 with zeros.
#include "write.cuh"

#define ZERO(i) 0
WRITE(write_zero, ZERO, 0, 0)
