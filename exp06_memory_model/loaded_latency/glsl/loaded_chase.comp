// One invocation of workgroup 0 follows addresses through a table, 8 bytes of a 128-byte line a step, while the other workgroups
// load tiles of workgroup x UNROLL 16-byte vectors and wait a while after each, until the chase is done or their turns are over.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint UNROLL = 2;
// coherent: past the L1, which the chase is not about.
layout(buffer_reference, std430, buffer_reference_align = 8) coherent readonly buffer Line { uvec2 next; };
layout(set = 0, binding = 0, std430) coherent readonly buffer Table { uvec2 table[]; };
layout(set = 0, binding = 1, std430) readonly buffer Data { uvec4 data[]; };
layout(set = 0, binding = 2, std430) coherent volatile buffer State { uint state[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Results { uint results[]; };
layout(push_constant, std430) uniform Push { LoadedParams params; };

uint spin(uint value, uint slices) {
  [[dont_unroll]] for (uint i = 0; i < slices; ++i) value = EXP06_SPUN(value);
  return value;
}

void chase() {
  // The first load, by the descriptor: it tells an address. The rest is a plain chase.
  uvec2 line = table[pointer_line(0, params.lines) * (EXP06_LINE_BYTES / 8)];
  const uint base = line.x - pointer_line(1, params.lines) * EXP06_LINE_BYTES;
  [[dont_unroll]] for (uint step = 1; step < params.steps; ++step) line = Line(line).next;
  results[0] = (line.x - base) / EXP06_LINE_BYTES;  // below 4 GiB from the first line
  results[1] = 0;  // Vulkan's real-time clock has no unit
  atomicExchange(state[0], 1);
}

void stream() {
  const uint streamer = gl_WorkGroupID.x - 1;
  const uint streamers = gl_NumWorkGroups.x - 1;
  const uint thread = streamer * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  uint spun = spin(thread, EXP06_PHASE(thread / 32, params));
  uint sum = 0;
  uint turn = 0;
  uint until_poll = params.poll;
  bool done = false;
  [[dont_unroll]] while (turn < params.turns && !done) {
    const uint first =
        EXP06_TILE(streamer, streamers, turn, params) * gl_WorkGroupSize.x * UNROLL + gl_LocalInvocationID.x;
    uvec4 value[UNROLL];
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) value[u] = data[first + u * gl_WorkGroupSize.x];
    // Never taken, and decided by all loads: no compiler can use one of them before the last is issued.
    uint seen = params.none;
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) seen &= value[u].x;
    if (seen != 0) break;
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
    ++turn;
    uint left = params.wait;
    [[dont_unroll]] do {
      const uint cut = min(left, EXP06_CUT);
      spun = spin(spun, cut);
      left -= cut;
      if (--until_poll == 0) {
        until_poll = params.poll;
        done = state[0] != 0;
      }
    } while (left != 0 && !done);
  }
  results[EXP06_RESULT_HEAD + 2 * thread] = turn;
  results[EXP06_RESULT_HEAD + 2 * thread + 1] = sum + (spun & params.none);
}

void main() {
  if (gl_WorkGroupID.x != 0) {
    stream();
  } else if (gl_LocalInvocationID.x == 0) {
    chase();
  }
  // The last workgroup to end leaves the state as it was found.
  barrier();
  if (gl_LocalInvocationID.x == 0 && atomicAdd(state[1], 1) == gl_NumWorkGroups.x - 1) {
    atomicExchange(state[0], 0);
    atomicExchange(state[1], 0);
  }
}
