// One function of one or two numbers an invocation, its result QUALIFIER: 12 bytes read and 4 written.
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint FUNCTION = EXP09_DIVIDE;
layout(set = 0, binding = 0, std430) readonly buffer A { float a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { float b[]; };
layout(set = 0, binding = 2, std430) readonly buffer Product { float product[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Result { float result[]; };
layout(push_constant, std430) uniform Push { PrecisionParams params; };

float of(float x, float y, float xy) {
  QUALIFIER float found = 0;
  switch (FUNCTION) {
    case EXP09_DIVIDE:
      found = x / y;
      break;
    case EXP09_SQRT:
      found = sqrt(abs(x));
      break;
    case EXP09_INVERSE_SQRT:
      found = inversesqrt(abs(x));
      break;
    case EXP09_EXP:
      found = exp(x);
      break;
    case EXP09_LOG:
      found = log(abs(x));
      break;
    case EXP09_SIN:
      found = sin(x);
      break;
    case EXP09_SIN_LARGE:
      found = sin(x * EXP09_LARGE);
      break;
    default:
      found = x * y - xy;
      break;
  }
  return found;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) result[i] = of(a[i], b[i], product[i]);
}
