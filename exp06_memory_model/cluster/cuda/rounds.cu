// No GLSL twin: Vulkan has no clusters.
// Every block sends 16 bytes to its peer and waits for what the peer sends, round after round.
//
// rounds_standard and rounds_low_latency are the source's two kernels: each of 32 threads sends the round's number to the same
// place and announces 16 bytes. All others send what follows from what they last got; the two mailboxes of a block take
// turns, so that nobody overwrites what has not been read. A wait that ends in vain leaves a marker instead of a result, and
// every thread still comes to every cluster barrier.
#include "cluster.cuh"

#define ROUNDS(name) CLUSTER_KERNEL rounds_##name(unsigned long long* mail, uint* out, ClusterParams params)

// What the source's kernels do, with waits that end.
enum class Source { kStandard, kLowLatency };

template <Source SOURCE>
__device__ __forceinline__ void source_rounds(uint* out, const ClusterParams& params) {
  __shared__ __align__(16) uint4 inbox;
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) barrier_init(&barrier, blockDim.x);
  if constexpr (SOURCE == Source::kLowLatency) {
    fence_barrier_init();
    __syncwarp();
    arrive_relaxed();
    cluster_wait();
  } else {
    cluster_sync();
  }
  const uint peer = cluster_rank() ^ params.distance;
  const uint to = at_rank(&inbox, peer);
  const uint remote_barrier = at_rank(&barrier, peer);
  bool ok = true;
  const uint begin = cycles();
#pragma unroll 1
  for (uint i = 0; i < params.steps; ++i) {
    unsigned long long token;
    if constexpr (SOURCE == Source::kLowLatency) {
      store_async(to, make_uint4(i, i, i, i), remote_barrier);
      asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 %0, [%1], 16;"
                   : "=l"(token)
                   : "r"(shared_address(&barrier))
                   : "memory");
    } else {
      asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 %0, [%1], 16;"
                   : "=l"(token)
                   : "r"(shared_address(&barrier))
                   : "memory");
      store_async(to, make_uint4(i, i, i, i), remote_barrier);
    }
    if (ok) {
      ok = wait_until([&] {
        uint done;
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(shared_address(&barrier)), "l"(token)
            : "memory");
        return done != 0;
      });
    }
    if constexpr (SOURCE == Source::kLowLatency) {
      asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
    }
  }
  const uint elapsed = cycles() - begin;
  ok = __all_sync(0xffffffffu, ok);
  cluster_sync();
  if (threadIdx.x == 0) record(out, ok, load_shared(&inbox), elapsed);
}

// mbarrier.arrive releases to the cluster every round.
ROUNDS(standard) { source_rounds<Source::kStandard>(out, params); }

// Nothing is released, and a relaxed cluster barrier ends every round.
ROUNDS(low_latency) { source_rounds<Source::kLowLatency>(out, params); }

// Plain stores to distributed shared memory, and cluster.sync().
ROUNDS(sync) {
  __shared__ __align__(16) uint4 inbox[2];
  const uint to = at_rank(inbox, cluster_rank() ^ params.distance);
  uint value = blockIdx.x;
  cluster_sync();
  const uint begin = cycles();
#pragma unroll 1
  for (uint i = 0; i < params.steps; ++i) {
    if (threadIdx.x == 0) store_remote(to + (i & 1) * 16, make_uint4(value, value, value, value));
    cluster_sync();
    value = EXP06_CHAIN(agreed(load_shared(&inbox[i & 1])));
  }
  const uint elapsed = cycles() - begin;
  cluster_sync();
  if (threadIdx.x == 0) record(out, true, value, elapsed);
}

// The low-latency kernel without its cluster barrier: two mailboxes do what that did.
ROUNDS(no_barrier) {
  __shared__ __align__(16) uint4 inbox[2];
  __shared__ unsigned long long barrier[2];
  if (threadIdx.x == 0) {
    barrier_init(&barrier[0], blockDim.x);
    barrier_init(&barrier[1], blockDim.x);
    fence_barrier_init();
  }
  cluster_sync();
  const uint peer = cluster_rank() ^ params.distance;
  const uint to = at_rank(inbox, peer);
  const uint remote_barrier = at_rank(barrier, peer);
  uint value = blockIdx.x;
  bool ok = true;
  const uint begin = cycles();
#pragma unroll 1
  for (uint i = 0; i < params.steps && ok; ++i) {
    const uint box = i & 1;
    store_async(to + box * 16, make_uint4(value, value, value, value), remote_barrier + box * 8);
    barrier_expect_relaxed(&barrier[box], 16);
    ok = cluster_barrier_wait(&barrier[box], i >> 1 & 1);
    value = EXP06_CHAIN(agreed(load_shared(&inbox[box])));
  }
  const uint elapsed = cycles() - begin;
  ok = __all_sync(0xffffffffu, ok);
  cluster_sync();
  if (threadIdx.x == 0) record(out, ok, value, elapsed);
}

// One thread sends, and the barrier of the next round is armed while this round's message is on its way.
template <class Wait>
__device__ __forceinline__ void one_thread_rounds(const Wait& wait, uint* out, const ClusterParams& params) {
  __shared__ __align__(16) uint4 inbox[2];
  __shared__ unsigned long long barrier[2];
  if (threadIdx.x == 0) {
    barrier_init(&barrier[0]);
    barrier_init(&barrier[1]);
    fence_barrier_init();
    barrier_expect(&barrier[0], 16);
  }
  cluster_sync();
  if (threadIdx.x == 0) {
    const uint peer = cluster_rank() ^ params.distance;
    const uint to = at_rank(inbox, peer);
    const uint remote_barrier = at_rank(barrier, peer);
    uint value = blockIdx.x;
    bool ok = true;
    const uint begin = cycles();
#pragma unroll 1
    for (uint i = 0; i < params.steps && ok; ++i) {
      const uint box = i & 1;
      store_async(to + box * 16, make_uint4(value, value, value, value), remote_barrier + box * 8);
      barrier_expect_relaxed(&barrier[box ^ 1], 16);
      ok = wait(&barrier[box], i >> 1 & 1);
      value = EXP06_CHAIN(agreed(load_shared(&inbox[box])));
    }
    record(out, ok, value, cycles() - begin);
  }
  cluster_sync();
}
ROUNDS(one_thread) {
  one_thread_rounds([](unsigned long long* barrier, uint parity) { return cluster_barrier_wait(barrier, parity); }, out,
                    params);
}
// The wait acquires for the block only, as it mostly does in practice.
ROUNDS(one_thread_cta) {
  one_thread_rounds([](unsigned long long* barrier, uint parity) { return barrier_wait(barrier, parity); }, out, params);
}

// One thread sends 8 bytes, the round's number and the value, in one store, and polls for the number: send(box, message),
// look(box).
template <class Send, class Look>
__device__ __forceinline__ void polled_rounds(const Send& send, const Look& look, uint polls, uint* out,
                                              const ClusterParams& params) {
  uint value = blockIdx.x;
  bool ok = true;
  const uint begin = cycles();
#pragma unroll 1
  for (uint i = 1; i <= params.steps && ok; ++i) {
    const uint box = i & 1;
    send(box, static_cast<unsigned long long>(i) << 32 | value);
    unsigned long long message = look(box);
#pragma unroll 1
    for (uint poll = 0; poll < polls && message >> 32 != i; ++poll) message = look(box);
    ok = message >> 32 == i;
    value = EXP06_CHAIN(static_cast<uint>(message));
  }
  record(out, ok, value, cycles() - begin);
}

// A plain store, relaxed, and polls of the block's own shared memory: no barrier of any kind.
ROUNDS(poll) {
  __shared__ __align__(8) unsigned long long inbox[2];
  if (threadIdx.x < 2) inbox[threadIdx.x] = 0;
  cluster_sync();
  if (threadIdx.x == 0) {
    const uint to = at_rank(inbox, cluster_rank() ^ params.distance);
    const uint from = shared_address(inbox);
    const auto send = [&](uint box, unsigned long long message) {
      asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" ::"r"(to + box * 8), "l"(message) : "memory");
    };
    const auto look = [&](uint box) {
      unsigned long long message;
      asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(message) : "r"(from + box * 8) : "memory");
      return message;
    };
    polled_rounds(send, look, EXP06_SHARED_POLLS, out, params);
  }
  cluster_sync();
}

// The same through global memory, which is the L2 here. What the launch before left is another round's number.
ROUNDS(global) {
  if (threadIdx.x == 0) {
    unsigned long long* to = mail + (blockIdx.x ^ params.distance) * EXP06_MAIL_WORDS;
    const unsigned long long* from = mail + blockIdx.x * EXP06_MAIL_WORDS;
    const auto send = [&](uint box, unsigned long long message) {
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to + box * (EXP06_MAIL_WORDS / 2))),
                   "l"(message)
                   : "memory");
    };
    const auto look = [&](uint box) {
      unsigned long long message;
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                   : "=l"(message)
                   : "l"(__cvta_generic_to_global(from + box * (EXP06_MAIL_WORDS / 2)))
                   : "memory");
      return message;
    };
    polled_rounds(send, look, EXP06_GLOBAL_POLLS, out, params);
  }
  cluster_sync();
}
