// The chains of load.cuh, store.cuh and atomic.cuh through cuda::atomic_ref: 4 bytes a load or store. It is a form of the same
// operations that only CUDA has: no twin.
#include <cuda/atomic>

#include "orders.cuh"

#define LIBRARY(name, SCOPE, LOAD_ORDER, STORE_ORDER, ADD_ORDER)                                                 \
  extern "C" __global__ void library_load_##name(uint* nodes, uint* out, OrderParams params) {                   \
    uint node = 0;                                                                                               \
    const long long begin = clock64();                                                                           \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) node =                                  \
        cuda::atomic_ref<uint, SCOPE>(nodes[node]).load(LOAD_ORDER);                                             \
    out[EXP06_OUT_CYCLES] = static_cast<uint>(clock64() - begin);                                                \
    out[EXP06_OUT_VALUE] = node;                                                                                 \
  }                                                                                                              \
  extern "C" __global__ void library_store_##name(uint* word, uint* out, OrderParams params) {                   \
    uint value = 0;                                                                                              \
    const cuda::atomic_ref<uint, SCOPE> at(*word);                                                               \
    const cuda::atomic_ref<uint, SCOPE> back(word[params.zero]); /* see store.cuh */                             \
    const long long begin = clock64();                                                                           \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) {                                       \
      at.store(value + 1, STORE_ORDER);                                                                          \
      value = back.load(cuda::memory_order_relaxed);                                                             \
    }                                                                                                            \
    out[EXP06_OUT_CYCLES] = static_cast<uint>(clock64() - begin);                                                \
    out[EXP06_OUT_VALUE] = value;                                                                                \
  }                                                                                                              \
  extern "C" __global__ void library_add_##name(uint* word, uint* out, OrderParams params) {                     \
    uint value = 1;                                                                                              \
    const cuda::atomic_ref<uint, SCOPE> at(word[threadIdx.x]); /* see atomic.cuh */                              \
    const long long begin = clock64();                                                                           \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) value = at.fetch_add(value, ADD_ORDER); \
    out[EXP06_OUT_CYCLES] = static_cast<uint>(clock64() - begin);                                                \
    out[EXP06_OUT_VALUE] = value;                                                                                \
  }

#define LIBRARY_SCOPE(scope, SCOPE)                                                                                   \
  LIBRARY(relaxed_##scope, SCOPE, cuda::memory_order_relaxed, cuda::memory_order_relaxed, cuda::memory_order_relaxed) \
  LIBRARY(acq_rel_##scope, SCOPE, cuda::memory_order_acquire, cuda::memory_order_release, cuda::memory_order_acq_rel) \
  LIBRARY(seq_cst_##scope, SCOPE, cuda::memory_order_seq_cst, cuda::memory_order_seq_cst, cuda::memory_order_seq_cst)

LIBRARY_SCOPE(cta, cuda::thread_scope_block)
LIBRARY_SCOPE(gpu, cuda::thread_scope_device)
LIBRARY_SCOPE(sys, cuda::thread_scope_system)
