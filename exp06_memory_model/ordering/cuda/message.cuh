// Two blocks of one thread pass a number back and forth, `steps` rounds of two messages: the flag alone (message_flag_*), or
// with a payload in another line, written before the flag and read after it (message_payload_*). No wait is without an end.
// The *_cluster entries are launched as one cluster of the two blocks. Vulkan has no such scope, nor sys, nor sequential
// consistency, so those entries have no twin.
#pragma once

#include "cuda/kernels/sm_id.cuh"
#include "orders.cuh"

__device__ __forceinline__ uint load_weak(const uint* address) {
  uint value;
  asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(value) : "l"(global(address)) : "memory");
  return value;
}
__device__ __forceinline__ void store_weak(uint* address, uint value) {
  asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(global(address)), "r"(value) : "memory");
}

// A mailbox: how a value is sent, polled for, and what comes once the poll has succeeded.
#define MAILBOX(name, SEND, POLL, AFTER)                                                 \
  struct Mail_##name {                                                                   \
    static __device__ __forceinline__ void send(uint* flag, uint value) {                \
      asm volatile(SEND ::"l"(global(flag)), "r"(value) : "memory");                     \
    }                                                                                    \
    static __device__ __forceinline__ uint poll(const uint* flag) {                      \
      uint value;                                                                        \
      asm volatile(POLL : "=r"(value) : "l"(global(flag)) : "memory");                   \
      return value;                                                                      \
    }                                                                                    \
    static __device__ __forceinline__ void after() { asm volatile(AFTER ::: "memory"); } \
  };

// Where a poll looks depends on what the one before found: no two become one.
template <class Mail>
__device__ __forceinline__ bool wait_for(const uint* flag, uint value, const OrderParams& params) {
  uint found = 0;
#pragma unroll 1
  for (uint spin = 0; spin < params.spins; ++spin) {
#pragma unroll
    for (uint poll = 0; poll < EXP06_POLLS; ++poll) {
      found = Mail::poll(flag + (found & params.zero));
      if (found == value) {
        Mail::after();
        return true;
      }
    }
  }
  return false;
}

// The flags go on counting from launch to launch: both blocks start from what the last launch left, each its own.
template <class Mail, bool PAYLOAD>
__device__ __forceinline__ void exchange(uint* lines, uint* out, const OrderParams& params) {
  const uint me = blockIdx.x;
  const uint peer = 1 - me;
  const uint before = Mail::poll(lines + EXP06_FLAG(me));
  uint rounds = 0;
  uint stale = 0;
#pragma unroll 1
  for (uint half = 0; half < 2 * params.steps; ++half) {
    const uint flag = before + 1 + half / 2;
    if ((half & 1) == me) {
      if (PAYLOAD) store_weak(lines + EXP06_PAYLOAD(me), EXP06_MESSAGE(flag));
      Mail::send(lines + EXP06_FLAG(me), flag);
    } else {
      if (!wait_for<Mail>(lines + EXP06_FLAG(peer), flag, params)) break;
      if (PAYLOAD) stale += load_weak(lines + EXP06_PAYLOAD(peer)) != EXP06_MESSAGE(flag);
      ++rounds;
    }
  }
  out[EXP06_OUT_ROUNDS + me] = rounds;
  out[EXP06_OUT_STALE + me] = stale;
  out[EXP06_OUT_SM + me] = sm_id();
}

#define MESSAGE(name, DIMS, SEND, POLL, AFTER)                                                         \
  MAILBOX(name, SEND, POLL, AFTER)                                                                     \
  extern "C" __global__ void DIMS message_flag_##name(uint* lines, uint* out, OrderParams params) {    \
    exchange<Mail_##name, false>(lines, out, params);                                                  \
  }                                                                                                    \
  extern "C" __global__ void DIMS message_payload_##name(uint* lines, uint* out, OrderParams params) { \
    exchange<Mail_##name, true>(lines, out, params);                                                   \
  }

#define SEND_RELAXED(scope) "st.relaxed." #scope ".global.u32 [%0], %1;"
#define POLL_RELAXED(scope) "ld.relaxed." #scope ".global.u32 %0, [%1];"
#define POLL_ACQUIRE(scope) "ld.acquire." #scope ".global.u32 %0, [%1];"
// relaxed orders nothing but the flag; acq_rel sends with release and polls with acquire; fence and fence_sc poll relaxed and
// fence once; seq_cst is what a sequentially consistent store and load become.
#define MESSAGES(scope, DIMS)                                                                                              \
  MESSAGE(relaxed_##scope, DIMS, SEND_RELAXED(scope), POLL_RELAXED(scope), "")                                             \
  MESSAGE(acq_rel_##scope, DIMS, "st.release." #scope ".global.u32 [%0], %1;", POLL_ACQUIRE(scope), "")                    \
  MESSAGE(fence_##scope, DIMS, "fence.acq_rel." #scope ";" SEND_RELAXED(scope), POLL_RELAXED(scope),                       \
          "fence.acq_rel." #scope ";")                                                                                     \
  MESSAGE(fence_sc_##scope, DIMS, "fence.sc." #scope ";" SEND_RELAXED(scope), POLL_RELAXED(scope), "fence.sc." #scope ";") \
  MESSAGE(seq_cst_##scope, DIMS, "fence.sc." #scope ";" SEND_RELAXED(scope), "fence.sc." #scope ";" POLL_ACQUIRE(scope), "")
