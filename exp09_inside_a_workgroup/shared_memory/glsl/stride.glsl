// A table of TYPE in shared memory, which every workgroup fills.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"
#include "glsl/element.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push { StrideParams params; };

shared TYPE table[EXP09_TABLE];

void fill() {
  for (uint e = gl_LocalInvocationID.x; e < EXP09_TABLE; e += gl_WorkGroupSize.x) make(e, table[e]);
  barrier();
}
