// Loads and stores by operator and hint: load_<name>(address) and store_<name>(address, value), of 4 bytes.
#pragma once

#include "params.h"

// An address for asm's .global: nvcc does not know that a kernel's pointers are.
__device__ __forceinline__ size_t global(const void* pointer) { return __cvta_generic_to_global(pointer); }

#define LOAD(name, PTX)                                                                 \
  __device__ __forceinline__ uint load_##name(const uint* address) {                    \
    uint value;                                                                         \
    asm volatile(PTX ".u32 %0, [%1];" : "=r"(value) : "l"(global(address)) : "memory"); \
    return value;                                                                       \
  }
#define STORE(name, PTX)                                                              \
  __device__ __forceinline__ void store_##name(uint* address, uint value) {           \
    asm volatile(PTX ".u32 [%0], %1;" ::"l"(global(address)), "r"(value) : "memory"); \
  }

// A policy for the whole access; ptxas makes a constant of it.
#define POLICY(name)                                                                                                   \
  __device__ __forceinline__ unsigned long long policy_##name() {                                                      \
    unsigned long long policy;                                                                                         \
    asm volatile("createpolicy.fractional.L2::" #name ".b64 %0, 1.0;" : "=l"(policy));                                 \
    return policy;                                                                                                     \
  }                                                                                                                    \
  __device__ __forceinline__ uint load_l2_##name(const uint* address) {                                                \
    uint value;                                                                                                        \
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;"                                                          \
                 : "=r"(value)                                                                                         \
                 : "l"(global(address)), "l"(policy_##name())                                                          \
                 : "memory");                                                                                          \
    return value;                                                                                                      \
  }                                                                                                                    \
  __device__ __forceinline__ void store_l2_##name(uint* address, uint value) {                                         \
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(global(address)), "r"(value), "l"(policy_##name()) \
                 : "memory");                                                                                          \
  }

LOAD(plain, "ld.global")
LOAD(ca, "ld.global.ca")
LOAD(cg, "ld.global.cg")
LOAD(cs, "ld.global.cs")
LOAD(lu, "ld.global.lu")
LOAD(cv, "ld.global.cv")
LOAD(volatile, "ld.volatile.global")
LOAD(mmio, "ld.mmio.relaxed.sys.global")
LOAD(nc, "ld.global.nc")
LOAD(l1_evict_first, "ld.global.L1::evict_first")
LOAD(l1_evict_last, "ld.global.L1::evict_last")
LOAD(l1_evict_unchanged, "ld.global.L1::evict_unchanged")
LOAD(l1_no_allocate, "ld.global.L1::no_allocate")
LOAD(l2_64b, "ld.global.L2::64B")
LOAD(l2_128b, "ld.global.L2::128B")
LOAD(l2_256b, "ld.global.L2::256B")
LOAD(nc_no_allocate_256b, "ld.global.nc.L1::no_allocate.L2::256B")

STORE(plain, "st.global")
STORE(wb, "st.global.wb")
STORE(cg, "st.global.cg")
STORE(cs, "st.global.cs")
STORE(wt, "st.global.wt")
STORE(volatile, "st.volatile.global")
STORE(mmio, "st.mmio.relaxed.sys.global")
STORE(l1_evict_first, "st.global.L1::evict_first")
STORE(l1_evict_last, "st.global.L1::evict_last")
STORE(l1_evict_unchanged, "st.global.L1::evict_unchanged")
STORE(l1_no_allocate, "st.global.L1::no_allocate")

POLICY(evict_first)
POLICY(evict_last)

#define EACH_PRIORITY(X) X(l1_evict_first) X(l1_evict_last) X(l1_evict_unchanged) X(l1_no_allocate)
#define EACH_POLICY(X) X(l2_evict_first) X(l2_evict_last)
#define EACH_PREFETCH(X) X(l2_64b) X(l2_128b) X(l2_256b) X(nc_no_allocate_256b)
#define EACH_LOAD_OPERATOR(X) X(plain) X(ca) X(cg) X(cs) X(lu) X(cv) X(volatile) X(mmio) X(nc)
#define EACH_STORE_OPERATOR(X) X(plain) X(wb) X(cg) X(cs) X(wt) X(volatile) X(mmio)
#define EACH_LOAD(X) EACH_LOAD_OPERATOR(X) EACH_PRIORITY(X) EACH_PREFETCH(X) EACH_POLICY(X)
// Beside a reuse set that is promised to be read-only: the streams that differ most.
#define EACH_BESIDE_READ_ONLY(X) X(plain) X(cg) X(cs) X(volatile) X(l1_evict_first) X(l1_no_allocate)
#define EACH_STORE(X) EACH_STORE_OPERATOR(X) EACH_PRIORITY(X) EACH_POLICY(X)
