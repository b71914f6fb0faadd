// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP06_LITMUS_PARAMS_H
#define EXP06_LITMUS_PARAMS_H

#include "core/base/shader_types.h"

// How strong a test's accesses and the fence between them are. Block scope is GLSL's workgroup, device scope CUDA's .gpu.
#define LITMUS_RELAXED 0u          // relaxed accesses at device scope, no fence
#define LITMUS_RELEASE_ACQUIRE 1u  // every store releases, every load acquires, at device scope
#define LITMUS_FENCE 2u            // relaxed accesses, an acquire-release fence at device scope between a thread's two
#define LITMUS_FENCE_SC 3u         // a sequentially consistent fence: CUDA only, Vulkan's memory model has none
#define LITMUS_FENCE_BLOCK 4u      // LITMUS_FENCE at block scope: too narrow between blocks
#define LITMUS_FENCE_SC_BLOCK 5u   // LITMUS_FENCE_SC at block scope
#define LITMUS_WEAK 6u             // plain accesses: CUDA only, a race of them is undefined in Vulkan
#define LITMUS_RELAXED_BLOCK 7u    // relaxed accesses at block scope

// Which threads play the roles of one instance.
#define LITMUS_SELF 0u     // one thread all of them: the outcome is known
#define LITMUS_BLOCK 1u    // threads of different warps of one block
#define LITMUS_CLUSTER 2u  // of different blocks of one cluster
#define LITMUS_BLOCKS 3u   // of different blocks

#define LITMUS_WARP 32u           // lanes that change partners together
#define LITMUS_CLUSTER_BLOCKS 4u  // as many as a test has roles
#define LITMUS_REGISTERS 4u       // planes of the register file, one word an instance each
#define LITMUS_UNSET 0xffffffffu  // a register no thread has written

// Words of scratch memory: a counter for each round, each in its own line of 32 words; what ran out of polls; lines to stress.
#define LITMUS_LINE 32u
#define LITMUS_MAX_ROUNDS 16u
#define LITMUS_TIMEOUTS (LITMUS_MAX_ROUNDS * LITMUS_LINE)
#define LITMUS_STRESSED (LITMUS_TIMEOUTS + LITMUS_LINE)
#define LITMUS_STRESS_LINES 64u
#define LITMUS_SCRATCH_WORDS (LITMUS_STRESSED + LITMUS_STRESS_LINES * LITMUS_LINE)

// An outcome is six digits to the base 4: registers 0 to 3, then what x and y hold in the end. 3: none of the tests' values.
#define LITMUS_OUTCOMES 4096u

struct LitmusParams {
  uint seed;         // partners, who goes first, who waits for how long
  uint threads;      // of a block, a power of two
  uint test_blocks;  // a power of two; the blocks behind them only stress
  uint rounds;       // a power of two: instances of one thread, one after the other
  uint placement;    // LITMUS_SELF ... LITMUS_BLOCKS
  uint scatter_x;    // odd: where x and y lie in their planes is a permutation, i * scatter + seed
  uint scatter_y;
  uint spacing_log2;  // words between neighbouring places in a plane
  uint pre_stress;    // at most so many dependent loads before a round, drawn for each warp
  uint stress;        // stores and loads of each thread of the blocks behind
  uint align_polls;   // how often a block looks whether all have arrived before a round; 0: it does not wait
  uint polls;         // how often the handoff tests look for their flag
  uint used;          // outcome digits the test has, a bit each
  uint zero;          // 0. A compiler that does not know it cannot merge the loads of p and p + zero
  uint fault;         // 1: a coherence test's two accesses are made in the wrong order, so that what it looks for is there
};
BENCH_ASSERT_SIZE(LitmusParams, 60);

// A draw for `index`, another one for each salt.
BENCH_FUNCTION uint litmus_draw(uint seed, uint salt, uint index) {
  return incompressible_word(incompressible_word(seed + 0x9e3779b9u * salt) + index);
}

// Instances of one launch, a power of two.
BENCH_FUNCTION uint litmus_instances(LitmusParams params) { return params.rounds * params.test_blocks * params.threads; }

// The word of x (plane 0) or y (plane 1) of an instance.
BENCH_FUNCTION uint litmus_location(LitmusParams params, uint plane, uint instance) {
  const uint instances = litmus_instances(params);
  const uint scatter = plane == 0u ? params.scatter_x : params.scatter_y;
  const uint place = (instance * scatter + params.seed) & (instances - 1u);
  return (plane * instances + place) << params.spacing_log2;
}

// The instance whose `role` thread `lane` of `warp` of `block` plays: for each role a permutation of all threads.
BENCH_FUNCTION uint litmus_instance(LitmusParams params, uint round, uint block, uint warp, uint lane, uint role) {
  const uint warps = params.threads / LITMUS_WARP;
  if (role != 0u && params.placement != LITMUS_SELF) {
    // Odd, so that the roles' four steps differ modulo any power of two from 4 up.
    const uint odd = litmus_draw(params.seed, 1u, params.placement == LITMUS_BLOCKS ? warp : 0u) | 1u;
    if (params.placement == LITMUS_BLOCK) {
      warp = (warp + role * odd) & (warps - 1u);
    } else if (params.placement == LITMUS_CLUSTER) {
      block = (block & ~(LITMUS_CLUSTER_BLOCKS - 1u)) | ((block + role * odd) & (LITMUS_CLUSTER_BLOCKS - 1u));
    } else {
      block = (block + role * odd) & (params.test_blocks - 1u);
    }
    lane = (lane * (litmus_draw(params.seed, 2u, role) | 1u) + litmus_draw(params.seed, 3u, role)) & (LITMUS_WARP - 1u);
  }
  return ((round * params.test_blocks + block) * warps + warp) * LITMUS_WARP + lane;
}

// The constant that is overwritten: before and after.
#define LITMUS_OLD 1u
#define LITMUS_NEW 42u

struct ConstantParams {
  uint with;
  uint zero;  // as above
};
BENCH_ASSERT_SIZE(ConstantParams, 8);

#endif
