// chain_*, rate_* of shuffles and what is made of them: see operation.cuh.
#include "operation.cuh"

OPERATION(shuffle, EXP09_SHUFFLE)
OPERATION(shuffle_xor, EXP09_SHUFFLE_XOR)
OPERATION(shuffle_up, EXP09_SHUFFLE_UP)
OPERATION(rotate, EXP09_ROTATE)
OPERATION(add_shuffles, EXP09_ADD_SHUFFLES)
OPERATION(clustered_add, EXP09_CLUSTERED_ADD)
OPERATION(quad_swap, EXP09_QUAD_SWAP)
