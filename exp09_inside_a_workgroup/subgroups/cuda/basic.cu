// chain_*, rate_* of votes, ballots, broadcasts and reductions: see operation.cuh.
#include "operation.cuh"

OPERATION_OF_SOME(none, EXP09_NONE)
OPERATION_OF_SOME(broadcast, EXP09_BROADCAST)
OPERATION_OF_SOME(ballot, EXP09_BALLOT)
OPERATION_OF_SOME(all, EXP09_ALL)
OPERATION_OF_SOME(any, EXP09_ANY)
OPERATION_OF_SOME(add, EXP09_ADD)
OPERATION_OF_SOME(min, EXP09_MIN)
OPERATION_OF_SOME(and, EXP09_AND)
OPERATION(add_float, EXP09_ADD_FLOAT)
OPERATION(exclusive_add, EXP09_EXCLUSIVE_ADD)
