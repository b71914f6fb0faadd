// Bulk copies and the barriers they report to (PTX ISA 8.0, sm_90).
#pragma once

#include "core/base/shader_types.h"
#include "cuda/kernels/timer.cuh"

__device__ __forceinline__ uint shared_address(const void* pointer) {
  return static_cast<uint>(__cvta_generic_to_shared(pointer));
}

// So many arrivals complete a phase, once all the bytes that they announce are there.
__device__ __forceinline__ void barrier_init(unsigned long long* barrier, uint arrivals = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Makes what the thread did to shared memory, initialised barriers included, known to the unit that copies.
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void barrier_expect(unsigned long long* barrier, uint bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ bool barrier_try(unsigned long long* barrier, uint parity) {
  uint done;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

// False if the phase has not completed in a second, or in limit_ns: a copy that went wrong must not hang the GPU.
__device__ __forceinline__ bool barrier_wait(unsigned long long* barrier, uint parity,
                                             unsigned long long limit_ns = 1000000000ull) {
  if (barrier_try(barrier, parity)) return true;
  const unsigned long long begin = timer_ns();
  while (timer_ns() - begin < limit_ns) {
    if (barrier_try(barrier, parity)) return true;
  }
  return false;
}

__device__ __forceinline__ void bulk_load(void* to, const void* from, uint bytes, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ void tensor_load(void* to, const void* map, uint x, uint y, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ void bulk_store(void* to, const void* from, uint bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void tensor_store(const void* map, uint x, uint y, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;" ::"l"(
          map),
      "r"(x), "r"(y), "r"(shared_address(from))
      : "memory");
}

// Until of the thread's stores all but the last LEFT have read their shared memory, which may then be written again.
template <uint LEFT>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

// Until all of the thread's stores are done.
__device__ __forceinline__ void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// A policy for the L2: the first lines to go.
__device__ __forceinline__ unsigned long long evict_first() {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

__device__ __forceinline__ void bulk_load(void* to, const void* from, uint bytes, unsigned long long* barrier,
                                          unsigned long long policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
}

__device__ __forceinline__ void bulk_store(void* to, const void* from, uint bytes, unsigned long long policy) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;\ncp.async.bulk.commit_group;" ::"l"(to),
      "r"(shared_address(from)), "r"(bytes), "l"(policy)
      : "memory");
}
