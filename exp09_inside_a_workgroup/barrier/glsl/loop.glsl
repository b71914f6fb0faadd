// One workgroup waits for itself again and again: wait() is what KIND names. With EXCHANGE each invocation stores a word before
// each wait and reads its neighbour's behind it: 4 bytes stored and 4 read a step, in shared memory.
#extension GL_ARB_shader_clock : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint KIND = EXP09_NONE;
layout(constant_id = 2) const bool EXCHANGE = false;
layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Report { uint report[]; };
layout(push_constant, std430) uniform Push { BarrierParams params; };

// Two of each: what one step reads the next one does not overwrite.
shared uint slots[2 * EXP09_THREADS];

bool wait(uint step);  // false: in vain

void main() {
  const uint thread = gl_LocalInvocationID.x;
  const uint first = thread - thread % params.group;
  const uint neighbour = first + (thread - first + params.shift) % params.group;
  uint value = thread;
  uint step = 0;
  const uint begin = clock2x32ARB().x;  // modulo 2^32: a carry into the upper half does no harm
  [[dont_unroll]] for (; step < params.steps; step += params.advance) {
    bool in_time = true;
    [[unroll]] for (uint u = 0; u < EXP09_UNROLL; ++u) {
      const uint half_of_slots = (u & 1) * EXP09_THREADS;
      if (EXCHANGE) slots[half_of_slots + thread] = value;
      in_time = wait(step + u) && in_time;
      if (EXCHANGE) value = slots[half_of_slots + neighbour] + 1;
    }
    if (!in_time) break;
  }
  const uint cycles = clock2x32ARB().x - begin;
  result[thread] = value;
  if (thread == 0) {
    report[EXP09_CYCLES] = cycles;
    report[EXP09_STEPS] = step;
  }
}
