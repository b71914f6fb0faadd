// Buffer device addresses in push constants.
#extension GL_EXT_buffer_reference : require
#include "params.h"
#include "inputs.glsl"
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer In { float values[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Out { float values[]; };
layout(push_constant, std430) uniform Push { In in_[INPUTS]; Out out_; SumParams params; };

#define READ(k, i) in_[k].values[i]
#define WRITE(i, value) out_.values[i] = value
#define COUNT params.count
#include "sum.glsl"
