#include "exp06_memory_model/glsl/sums.glsl"
#include "params.h"

layout(constant_id = 1) const uint UNROLL = 1;
layout(push_constant, std430) uniform Push { TileParams params; };
