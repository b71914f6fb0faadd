// What CUDA C++ has and HIP 5.7's headers lack, for kernels that count on warps of 32: every width is 32, on wave64, too.
#pragma once
#define __reduce_add_sync(mask, value) bench_reduce(value, [](auto a, auto b) { return a + b; })
#define __reduce_and_sync(mask, value) bench_reduce(value, [](auto a, auto b) { return a & b; })
#define __reduce_or_sync(mask, value) bench_reduce(value, [](auto a, auto b) { return a | b; })
#define __reduce_xor_sync(mask, value) bench_reduce(value, [](auto a, auto b) { return a ^ b; })
#define __reduce_min_sync(mask, value) bench_reduce(value, [](auto a, auto b) { return a < b ? a : b; })
#define __reduce_max_sync(mask, value) bench_reduce(value, [](auto a, auto b) { return a > b ? a : b; })
template <class T, class F>
__device__ __forceinline__ T bench_reduce(T value, F combine) {
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) value = combine(value, __shfl_xor(value, lane, 32));
  return value;
}
#define __shfl_sync(mask, value, lane, ...) __shfl(value, lane, 32)
#define __shfl_xor_sync(mask, value, lane, ...) __shfl_xor(value, lane, 32)
#define __shfl_up_sync(mask, value, delta, ...) __shfl_up(value, delta, 32)
#define __shfl_down_sync(mask, value, delta, ...) __shfl_down(value, delta, 32)
#define __ballot_sync(mask, predicate) static_cast<unsigned>(__ballot(predicate) >> (__lane_id() & 32))
#define __any_sync(mask, predicate) (__ballot_sync(mask, predicate) != 0)
#define __all_sync(mask, predicate) (__ballot_sync(mask, predicate) == 0xffffffffu)
#define __syncwarp(...) (__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"), __builtin_amdgcn_wave_barrier())
#define __trap() __builtin_trap()
template <class T>
__device__ __forceinline__ unsigned long long __cvta_generic_to_global(const volatile T* pointer) {
  return reinterpret_cast<unsigned long long>(pointer);
}
__device__ __forceinline__ int __dp4a(int a, int b, int sum) {
#if defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_sudot4(true, a, true, b, sum, false);
#else
  return __builtin_amdgcn_sdot4(a, b, sum, false);
#endif
}
__device__ __forceinline__ unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  return __builtin_amdgcn_udot4(a, b, sum, false);
}
