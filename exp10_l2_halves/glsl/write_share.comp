// write_u32x4 over and over into a window of the buffer, or into every 2^spread-th granule of the buffer; each workgroup also
// stores which SM ran it, 4 bytes for 16 an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_NV_shader_sm_builtins : require
#include "core/base/words.glsl"
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Output { uvec4 b[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sms { uint sms[]; };
layout(push_constant, std430) uniform Push { ShareParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= params.count) return;
  const uint at = EXP10_SPREAD(i & params.last, params.spread);
  b[at] = words_4(at);
  if (gl_LocalInvocationID.x == 0) sms[gl_WorkGroupID.x] = gl_SMIDNV;
}
