// One invocation of a workgroup measures one granule after another: 32 dependent atomics, each to another of its 128-byte lines,
// which the L2 has by then. An atomic is done where the line has its home: a load might find a copy. The SMs of a row of
// `cycles` share its granules by tickets.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_shader_clock : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_NV_shader_sm_builtins : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) coherent buffer Words { uint words[]; };
layout(set = 0, binding = 1, std430) readonly buffer Rows { uint rows[]; };
layout(set = 0, binding = 2, std430) coherent buffer Tickets { uint tickets[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Cycles { uint cycles[]; };
layout(push_constant, std430) uniform Push { HomesParams params; };

void main() {
  const uint sm = gl_SMIDNV;
  if (gl_LocalInvocationID.x != 0 || sm >= params.sms) return;
  const uint row = rows[sm];
  [[dont_unroll]] for (uint turn = 0; turn < params.count; ++turn) {
    const uint ticket = atomicAdd(tickets[row], 1u);
    if (ticket >= params.count) break;
    const uint index = EXP10_MEASURED(ticket, row, params);
    const uint granule = EXP10_GRANULE(index, params) * EXP10_GRANULE_WORDS;
    [[dont_unroll]] for (uint line = 0; line < EXP10_LINES; ++line)
      atomicAdd(words[granule + line * EXP10_LINE_WORDS], params.none);
    uint at = 0;
    uint begin = 0;
    [[dont_unroll]] for (uint round = 0; round < 2; ++round) {  // the first waits for the lines
      begin = clock2x32ARB().x;
      [[dont_unroll]] for (uint line = 0; line < EXP10_LINES; ++line) {
        const uint value = atomicAdd(words[granule + at], params.none);
        at = EXP10_NEXT_LINE(at, value & params.none);
      }
    }
    cycles[row * params.count + index] = clock2x32ARB().x - begin;  // modulo 2^32
  }
}
