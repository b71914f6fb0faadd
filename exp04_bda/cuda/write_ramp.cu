// write_u32x4 with words in arithmetic progression, which a memory compressor can shrink.
#include "write.cuh"

WRITE(write_ramp, EXP04_RAMP, 0, 0)
