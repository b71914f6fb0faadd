// The sum of n numbers in two launches of this shader: each workgroup adds its part, then one workgroup adds the parts. Threads
// read 4 bytes each, beside their neighbours'. Whole numbers, so that the order of additions does not matter.
#version 460
#define THREADS 256
layout(local_size_x = THREADS) in;
layout(std430, binding = 0) restrict readonly buffer In { uint from[]; };
layout(std430, binding = 1) restrict writeonly buffer Out { uint to[]; };
layout(push_constant, std430) uniform Params { uint n; };
shared uint partial[THREADS];

void main() {
  const uint thread = gl_LocalInvocationID.x;
  uint sum = 0;
  for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * THREADS) sum += from[i];
  partial[thread] = sum;
  barrier();
  for (uint halved = THREADS / 2; halved > 0; halved /= 2) {
    if (thread < halved) partial[thread] += partial[thread + halved];
    barrier();
  }
  if (thread == 0) to[gl_WorkGroupID.x] = partial[0];
}
