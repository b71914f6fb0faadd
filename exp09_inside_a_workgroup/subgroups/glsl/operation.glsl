// operation(value): what OPERATION names, among the lanes that take part.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#ifdef ALL_OPERATIONS
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#endif
#ifdef ROTATE
#extension GL_KHR_shader_subgroup_rotate : require
#endif
#extension GL_KHR_shader_subgroup_vote : require
// Includers choose what the module declares: invocations whose branches end meet again, by the rule that a subgroup which was
// whole is whole again (GL_EXT_subgroup_uniform_control_flow), or by the strictest rule (GL_EXT_maximal_reconvergence).
#if defined(UNIFORM_FLOW)
#extension GL_EXT_subgroup_uniform_control_flow : require
#define RECONVERGES [[subgroup_uniform_control_flow]]
#elif defined(MAXIMAL_RECONVERGENCE)
#extension GL_EXT_maximal_reconvergence : require
#define RECONVERGES [[maximally_reconverges]]
#else
#define RECONVERGES
#endif
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint OPERATION = EXP09_NONE;
layout(constant_id = 2) const uint FLOW = EXP09_ALL_LANES;
layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push { SubgroupParams params; };

#ifdef ALL_OPERATIONS
uint add_by_shuffles(uint value) {
  [[unroll]] for (uint bit = 0; bit < 5; ++bit) {
    if (1u << bit < gl_SubgroupSize) value += subgroupShuffleXor(value, 1u << bit);
  }
  return value;
}

uint shuffle_up(uint value) {
  const uint below = subgroupShuffleUp(value, 1);
  return gl_SubgroupInvocationID == 0 ? value : below;
}
#endif

uint operation(uint value) {
  const uint lane = gl_SubgroupInvocationID;
  switch (OPERATION) {
#ifdef ALL_OPERATIONS
    case EXP09_SHUFFLE:
      return subgroupShuffle(value, value & (gl_SubgroupSize - 1)) + lane;
    case EXP09_SHUFFLE_XOR:
      return subgroupShuffleXor(value, 1) + lane;
    case EXP09_SHUFFLE_UP:
      return shuffle_up(value) + lane;
    case EXP09_ROTATE:
      return subgroupShuffle(value, (lane + 1) & (gl_SubgroupSize - 1)) + lane;
    case EXP09_ADD_SHUFFLES:
      return add_by_shuffles(value) + lane;
    case EXP09_CLUSTERED_ADD:
      return subgroupClusteredAdd(value, EXP09_CLUSTER) + lane;
    case EXP09_QUAD_SWAP:
      return subgroupQuadSwapHorizontal(value) + lane;
#elif defined(ROTATE)
    case EXP09_ROTATE:
      return subgroupRotate(value, 1) + lane;
#endif
    case EXP09_BROADCAST:
      return subgroupBroadcast(value, 0) + lane;
    case EXP09_BALLOT:
      return subgroupBallot((value & 1) != 0).x + lane;
    case EXP09_ALL:
      return (subgroupAll((value & 31) != 31) ? 1 : 0) + value + lane;
    case EXP09_ANY:
      return (subgroupAny((value & 31) == 31) ? 1 : 0) + value + lane;
    case EXP09_ADD:
      return subgroupAdd(value) + lane;
    case EXP09_ADD_FLOAT:
      return uint(subgroupAdd(float(value & EXP09_SMALL))) + lane;
    case EXP09_MIN:
      return subgroupMin(value) + lane;
    case EXP09_AND:
      return (subgroupAnd(value | ~(1u << lane)) ^ value) + lane;
    case EXP09_EXCLUSIVE_ADD:
      return subgroupExclusiveAdd(value) + lane;
    case EXP09_INCLUSIVE_ADD:
      return subgroupInclusiveAdd(value) + lane;
    default:
      return (value ^ params.seed) + lane;
  }
}
