// Storage buffers: inputs at bindings 0 to INPUTS - 1, the output after them. Also for push descriptors and descriptor buffers.
#include "params.h"
#include "inputs.glsl"
#define DECLARE(k) layout(set = 0, binding = k, std430) readonly buffer In##k { float in##k[]; };
EACH_INPUT(DECLARE)
layout(set = 0, binding = INPUTS, std430) writeonly buffer Out { float out_[]; };
layout(push_constant, std430) uniform Push { SumParams params; };

#define READ(k, i) in##k[i]
#define WRITE(i, value) out_[i] = value
#define COUNT params.count
#include "sum.glsl"
