// copy_chunks.cuh's load and store by 1-D bulk copies.
#pragma once

#include "copy_chunks.cuh"

// What the L2 is told about lines: nothing, that those read are the first to go, that those written are too.
enum class Hint { kNone, kRead, kBoth };

template <Hint HINT, class Copy>
__device__ __forceinline__ void with_bulk(const unsigned char* a, unsigned char* b, const CopyParams& params,
                                          const Copy& copy) {
  const unsigned long long policy = HINT == Hint::kNone ? 0 : evict_first();
  const auto load = [&](void* slot, uint chunk, unsigned long long* barrier) {
    const unsigned char* from = a + static_cast<size_t>(chunk) * params.chunk_bytes;
    if (HINT == Hint::kNone) {
      bulk_load(slot, from, params.chunk_bytes, barrier);
    } else {
      bulk_load(slot, from, params.chunk_bytes, barrier, policy);
    }
  };
  const auto store = [&](uint chunk, const void* slot) {
    unsigned char* to = b + static_cast<size_t>(chunk) * params.chunk_bytes;
    if (HINT == Hint::kBoth) {
      bulk_store(to, slot, params.chunk_bytes, policy);
    } else {
      bulk_store(to, slot, params.chunk_bytes);
    }
  };
  copy(load, store);
}

template <uint STAGES, Order ORDER, Hint HINT = Hint::kNone>
__device__ __forceinline__ void bulk_ring(const unsigned char* a, unsigned char* b, uint* state, const CopyParams& params) {
  with_bulk<HINT>(a, b, params,
                  [&](const auto& load, const auto& store) { copy_block_ring<STAGES, ORDER>(load, store, state, params); });
}

template <uint CHUNKS, Hint HINT = Hint::kNone>
__device__ __forceinline__ void bulk_once(const unsigned char* a, unsigned char* b, const CopyParams& params) {
  with_bulk<HINT>(a, b, params, [&](const auto& load, const auto& store) { copy_once<CHUNKS>(load, store, params); });
}

#define COPY_BULK(name, ...) \
  extern "C" __global__ void name(const unsigned char* a, unsigned char* b, uint* state, CopyParams params) { __VA_ARGS__; }
