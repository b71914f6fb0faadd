// A kernel that follows none of the suite's conventions: buffers and scalars in any order, an address within a struct, a block
// of three dimensions, dynamic shared memory. out[i] = scale * in[i] + wide + last.
struct Where {
  unsigned char last;
  unsigned int* out;
};

extern "C" __global__ void free_arguments(unsigned short scale, const unsigned int* in, Where where, unsigned long long wide) {
  extern __shared__ unsigned int row[];
  const unsigned int block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned int i = blockIdx.y * blockDim.x * blockDim.y * blockDim.z + block;
  row[block] = in[i];
  __syncthreads();
  where.out[i] = scale * row[block] + static_cast<unsigned int>(wide >> 32) + where.last;
}
