// A kernel sets a node of its own graph: whether it runs, its grid, and what its kernel gets.
#pragma once

#include <cuda_device_runtime_api.h>

#include "cuda/table.cuh"

// `is_told`: the node's kernel is told its parameters, too; else it has them already. A node that does not run is only switched
// off.
__device__ __forceinline__ cudaError_t set_node(cudaGraphDeviceNode_t node, const Sequence& mine, bool is_told) {
  cudaError_t status = cudaGraphKernelNodeSetEnabled(node, mine.x != 0);
  if (status == cudaSuccess && mine.x != 0) status = cudaGraphKernelNodeSetGridDim(node, dim3(mine.x));
  // Behind the pointer, which is the kernel's first parameter.
  if (status == cudaSuccess && mine.x != 0 && is_told) {
    status = cudaGraphKernelNodeSetParam(node, sizeof(unsigned int*), &mine.params, sizeof(mine.params));
  }
  return status;
}

// Room for an update, whose own type has a constructor that cannot be called.
struct alignas(cudaGraphKernelNodeUpdate) UpdateRoom {
  unsigned char bytes[sizeof(cudaGraphKernelNodeUpdate)];
};
__device__ __forceinline__ cudaGraphKernelNodeUpdate* updates_in(UpdateRoom* room) {
  return reinterpret_cast<cudaGraphKernelNodeUpdate*>(room);
}

// The same as updates, of which it returns the number: three at most. `params` is read when they are applied.
__device__ __forceinline__ unsigned int write_updates(cudaGraphKernelNodeUpdate* updates, cudaGraphDeviceNode_t node,
                                                      unsigned int blocks, const JobParams* params) {
  updates[0].node = node;
  updates[0].field = cudaGraphKernelNodeFieldEnabled;
  updates[0].updateData.isEnabled = blocks != 0;
  if (blocks == 0) return 1;
  updates[1].node = node;
  updates[1].field = cudaGraphKernelNodeFieldGridDim;
  updates[1].updateData.gridDim = dim3(blocks);
  updates[2].node = node;
  updates[2].field = cudaGraphKernelNodeFieldParam;
  updates[2].updateData.param.pValue = params;
  updates[2].updateData.param.offset = sizeof(unsigned int*);
  updates[2].updateData.param.size = sizeof(JobParams);
  return 3;
}
