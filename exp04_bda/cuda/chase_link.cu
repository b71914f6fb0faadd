// Makes the table that `chase` follows: node i holds the address of the node after it, 8 bytes written a thread.
#include "params.h"

struct Node {
  const Node* next;
};

extern "C" __global__ void chase_link(Node* nodes, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) nodes[i].next = nodes + EXP04_NEXT(i, params.count);
}
