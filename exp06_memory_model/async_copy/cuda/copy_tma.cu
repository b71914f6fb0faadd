// No GLSL twin: Vulkan has no asynchronous copies.
// b = a through two 2-D tensor maps: a chunk is a box of whole rows, so the same bytes as copy_bulk's go the same way.
#include "copy_chunks.cuh"
#include "tensor_params.h"

template <class Copy>
__device__ __forceinline__ void with_tensors(const CopyTensorParams& params, const Copy& copy) {
  const uint rows = params.copy.chunk_bytes / (EXP06_ROW_WORDS * 4);
  const auto load = [&](void* slot, uint chunk, unsigned long long* barrier) {
    tensor_load(slot, &params.from, 0, chunk * rows, barrier);
  };
  const auto store = [&](uint chunk, const void* slot) { tensor_store(&params.to, 0, chunk * rows, slot); };
  copy(load, store);
}

#define COPY_TMA(name, ...)                                                          \
  extern "C" __global__ void name(const unsigned char*, unsigned char*, uint* state, \
                                  const __grid_constant__ CopyTensorParams params) { \
    with_tensors(params, [&](const auto& load, const auto& store) { __VA_ARGS__; }); \
  }

COPY_TMA(copy_tma_interleaved_4, copy_block_ring<4, Order::kInterleaved>(load, store, state, params.copy))
COPY_TMA(copy_tma_taken_4, copy_block_ring<4, Order::kTaken>(load, store, state, params.copy))
COPY_TMA(copy_tma_once_1, copy_once<1>(load, store, params.copy))
COPY_TMA(copy_tma_once_2, copy_once<2>(load, store, params.copy))
