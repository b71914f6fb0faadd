// Each invocation sums up `terms` numbers, COMPENSATED or not, in QUALIFIER variables: 4 bytes read a term, one load
// under way, 4 written.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Terms { float terms[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { float result[]; };
layout(push_constant, std430) uniform Push { SumParams params; };

void main() {
  const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  QUALIFIER float sum = 0;
  QUALIFIER float lost = 0;
  [[dont_unroll]] for (uint k = 0; k < params.terms; k += params.advance) {
    const float term = abs(terms[k * threads + gl_GlobalInvocationID.x]);
#ifdef COMPENSATED
    QUALIFIER float whole = term - lost;
    QUALIFIER float next = sum + whole;
    lost = (next - sum) - whole;
    sum = next;
#else
    sum += term;
#endif
  }
  result[gl_GlobalInvocationID.x] = sum;
}
