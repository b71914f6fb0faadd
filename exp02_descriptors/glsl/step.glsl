// out[i] = in[i] + 1, one word an invocation, coalesced: 4 bytes read, 4 written. The next dispatch of a chain swaps the two
// buffers. They are reached by ADDRESS, BINDLESS, or at bindings 0 and 1 of a set. PUSHED: a push constant in place of the 1.
#if defined ADDRESS
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer In { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Out { uint words[]; };
layout(push_constant, std430) uniform Push { In in_; Out out_; };
#define IN in_.words
#define OUT out_.words
#elif defined BINDLESS
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0, std430) readonly buffer In { uint words[]; } inputs[];
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint words[]; } outputs[];
layout(push_constant, std430) uniform Push { uint in_; uint out_; };
#define IN inputs[in_].words
#define OUT outputs[out_].words
#else
layout(set = 0, binding = 0, std430) readonly buffer In { uint in_[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint out_[]; };
#define IN in_
#define OUT out_
#endif
#ifdef PUSHED
#include "params.h"
layout(push_constant) uniform Push { PushedParams params; };
#define MORE params.more
#else
#define MORE 1
#endif
layout(local_size_x_id = 0) in;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  OUT[i] = IN[i] + MORE;
}
