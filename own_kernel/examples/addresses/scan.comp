// Sums of all values up to each, of 1024 values per workgroup: Hillis and Steele's scan in shared memory. Buffers come as
// addresses.
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1024) in;
layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer Values { uint at[]; };
layout(push_constant, std430) uniform Params {
  Values from;
  Values to;
  uint n;
};
shared uint sums[1024];

void main() {
  const uint thread = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  sums[thread] = i < n ? from.at[i] : 0;
  barrier();
  for (uint distance = 1; distance < 1024; distance *= 2) {
    const uint before = thread >= distance ? sums[thread - distance] : 0;
    barrier();
    sums[thread] += before;
    barrier();
  }
  if (i < n) to.at[i] = sums[thread];
}
