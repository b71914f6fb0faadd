// One array of all storage buffers, seen as inputs and as outputs; push constants say which of them each is.
#extension GL_EXT_nonuniform_qualifier : require
#include "params.h"
#include "inputs.glsl"
layout(set = 0, binding = 0, std430) readonly buffer In { float values[]; } inputs[];
layout(set = 0, binding = 0, std430) writeonly buffer Out { float values[]; } outputs[];
layout(push_constant, std430) uniform Push { uint in_[INPUTS]; uint out_; SumParams params; };

#define READ(k, i) inputs[in_[k]].values[i]
#define WRITE(i, value) outputs[out_].values[i] = value
#define COUNT params.count
#include "sum.glsl"
