// Lanes read neighbouring structures of four words, one field or all: 8 structures under way.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"
#include "glsl/element.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint FIELDS = 4;
layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push { StrideParams params; };

#if LAYOUT == EXP09_SOA
shared uint xs[EXP09_STRUCTS];
shared uint ys[EXP09_STRUCTS];
shared uint zs[EXP09_STRUCTS];
shared uint ws[EXP09_STRUCTS];
#define FIELD(i, x) x##s[i]
#elif LAYOUT == EXP09_VEC4
shared uvec4 table[EXP09_STRUCTS];
#define FIELD(i, x) table[i].x
#else
struct Four {
  uint x;
  uint y;
  uint z;
  uint w;
#if LAYOUT == EXP09_PADDED
  uint unused;
#endif
};
shared Four table[EXP09_STRUCTS];
#define FIELD(i, x) table[i].x
#endif

void main() {
  for (uint e = gl_LocalInvocationID.x; e < EXP09_STRUCTS; e += gl_WorkGroupSize.x) {
    FIELD(e, x) = table_word(e, 0);
    FIELD(e, y) = table_word(e, 1);
    FIELD(e, z) = table_word(e, 2);
    FIELD(e, w) = table_word(e, 3);
  }
  barrier();
  const uint start = gl_LocalInvocationID.x % 32;
  uvec4 sum = uvec4(0);
  [[dont_unroll]] for (uint done = 0; done < params.accesses; done += params.advance) {
    const uint at = start + (done & (EXP09_SHIFTS - 1));
    [[unroll]] for (uint u = 0; u < EXP09_UNROLL; ++u) {
      sum.x += FIELD(at + u, x);
      if (FIELDS == 4) {
        sum.y += FIELD(at + u, y);
        sum.z += FIELD(at + u, z);
        sum.w += FIELD(at + u, w);
      }
    }
  }
  result[gl_GlobalInvocationID.x] = fold(sum);
}
