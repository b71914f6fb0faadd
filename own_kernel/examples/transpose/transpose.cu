// out = in, transposed, of width x height floats. A block moves a tile of 32 x 32 through shared memory, so that both sides are
// read and written in rows of 128 bytes. The 33rd column keeps the tile's columns in different banks.
template <int kRows>
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += kRows) {
    if (x < width && y + row < height) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  }
  __syncthreads();
  const int to_x = blockIdx.y * 32 + threadIdx.x;
  const int to_y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += kRows) {
    if (to_x < height && to_y + row < width) out[(to_y + row) * height + to_x] = tile[threadIdx.x][threadIdx.y + row];
  }
}
