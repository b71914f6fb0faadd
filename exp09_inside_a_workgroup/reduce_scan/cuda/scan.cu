// See scan.cuh. scan_one_*: one block; scan_add_*: a block a tile, whose prefix is known; scan_look_back, ..._packed.
#include "scan.cuh"

#define SCAN(name, body) \
  extern "C" __global__ void scan_##name(const uint4* words, uint4* results, uint* state, ScanParams params) { body; }
SCAN(one_tree, scan_one_block<Tree>(words, results, params))
SCAN(one_subgroup, scan_one_block<Subgroups>(words, results, params))
SCAN(add_tree, scan_and_add<Tree>(words, results, state, params))
SCAN(add_subgroup, scan_and_add<Subgroups>(words, results, state, params))
SCAN(look_back, scan_looking_back<Ordered>(words, results, state, params))
SCAN(look_back_packed, scan_looking_back<Packed>(words, results, state, params))
