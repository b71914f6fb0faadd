// One invocation a workgroup waits by the GPU's clock, says that it ran, and when and where: 16 bytes written a workgroup.
// Includers choose: WITH_SM.
#extension GL_EXT_shader_realtime_clock : require
#ifdef WITH_SM
#extension GL_NV_shader_sm_builtins : require
#define SM gl_SMIDNV
#else
#define SM EXP08_NO_SM
#endif
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { WorkParams params; };
layout(set = 0, binding = 0, std430) writeonly buffer Tags { uint tags[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Trace { uint trace[]; };

uint ticks() { return clockRealtime2x32EXT().x; }

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  const uint begin = ticks();
  uint end = begin;
  for (uint turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) end = ticks();
  const uint block = params.first + gl_WorkGroupID.x;
  tags[block] = EXP08_TAG(block);
  const uint mine = block * EXP08_TRACE_WORDS;
  trace[mine] = begin;
  trace[mine + 1] = end;
  trace[mine + 2] = SM;
}
