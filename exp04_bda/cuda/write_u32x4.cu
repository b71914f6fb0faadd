// Words that no compressor can shrink: nothing read, 16 bytes written a thread in one access, coalesced. Plain, and with
// features of Vulkan's machine code forced.
#include "write.cuh"

WRITE(write_u32x4, incompressible_word, 0, 0)
WRITE(write_u32x4_strong_store, incompressible_word, kStrongStore, 0)
WRITE(write_u32x4_all_256, incompressible_word, kStrongStore | kBounds | kOffset32, 256)
// Room for Vulkan's machine code, which takes the place of this at run time.
WRITE(write_u32x4_code_host, incompressible_word, kBounds, 0)
