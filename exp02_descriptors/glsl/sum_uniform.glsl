// Inputs in uniform buffers, whose layout is scalar: std140 would put each float into 16 bytes. The output in a storage buffer.
#extension GL_EXT_scalar_block_layout : require
#include "params.h"
#include "inputs.glsl"
#define DECLARE(k) layout(set = 0, binding = k, scalar) uniform In##k { float in##k[EXP02_SMALL_FLOATS]; };
EACH_INPUT(DECLARE)
layout(set = 0, binding = INPUTS, std430) writeonly buffer Out { float out_[]; };
layout(push_constant, std430) uniform Push { SumParams params; };

#define READ(k, i) in##k[i]
#define WRITE(i, value) out_[i] = value
#define COUNT params.count
#include "sum.glsl"
