// out = in, transposed, of width x height floats. A workgroup moves a tile of 32 x 32 through shared memory, so that both sides
// are read and written in rows of 128 bytes. The 33rd column keeps the tile's columns in different banks.
#version 460
layout(constant_id = 1) const int kRows = 8;
layout(local_size_x = 32, local_size_y_id = 1) in;
layout(std430, set = 0, binding = 0) restrict readonly buffer In { float from[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Out { float to[]; };
layout(push_constant, std430) uniform Params {
  int width;
  int height;
};
shared float tile[32][33];

void main() {
  const int x = int(gl_WorkGroupID.x * 32 + gl_LocalInvocationID.x);
  const int y = int(gl_WorkGroupID.y * 32 + gl_LocalInvocationID.y);
  for (int row = 0; row < 32; row += kRows) {
    if (x < width && y + row < height) tile[gl_LocalInvocationID.y + row][gl_LocalInvocationID.x] = from[(y + row) * width + x];
  }
  barrier();
  const int to_x = int(gl_WorkGroupID.y * 32 + gl_LocalInvocationID.x);
  const int to_y = int(gl_WorkGroupID.x * 32 + gl_LocalInvocationID.y);
  for (int row = 0; row < 32; row += kRows) {
    if (to_x < height && to_y + row < width) to[(to_y + row) * height + to_x] = tile[gl_LocalInvocationID.x][gl_LocalInvocationID.y + row];
  }
}
