// Every thread does `steps` atomic operations: in a buffer, or in its block's shared memory, whose words go to the buffer at
// the end. With USED, what came back is summed up and stored.
#pragma once

#include <cuda_fp16.h>

#include "params.h"

using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;
using f16x2 = __half2;

__device__ __forceinline__ i64 atomicAdd(i64* address, i64 value) {
  return static_cast<i64>(atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)));
}
__device__ __forceinline__ i64 atomicExch(i64* address, i64 value) {
  return static_cast<i64>(atomicExch(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)));
}

template <class T>
__device__ __forceinline__ T number(uint value) {
  return static_cast<T>(value);
}
template <>
__device__ __forceinline__ f16x2 number<f16x2>(uint value) {
  return __half2half2(__uint2half_rn(value));
}

// What a compare-and-swap compares: a number's bits.
template <class T>
struct Bits {
  using Word = T;
  static __device__ __forceinline__ Word of(T value) { return value; }
  static __device__ __forceinline__ T value(Word bits) { return bits; }
};
template <>
struct Bits<i64> {
  using Word = unsigned long long;
  static __device__ __forceinline__ Word of(i64 value) { return static_cast<Word>(value); }
  static __device__ __forceinline__ i64 value(Word bits) { return static_cast<i64>(bits); }
};
template <>
struct Bits<f32> {
  using Word = uint;
  static __device__ __forceinline__ Word of(f32 value) { return __float_as_uint(value); }
  static __device__ __forceinline__ f32 value(Word bits) { return __uint_as_float(bits); }
};
template <>
struct Bits<f16x2> {
  using Word = uint;
  static __device__ __forceinline__ Word of(f16x2 value) { return reinterpret_cast<const Word&>(value); }
  static __device__ __forceinline__ f16x2 value(Word bits) { return reinterpret_cast<const f16x2&>(bits); }
};
template <>
struct Bits<f64> {
  using Word = unsigned long long;
  static __device__ __forceinline__ Word of(f64 value) { return static_cast<Word>(__double_as_longlong(value)); }
  static __device__ __forceinline__ f64 value(Word bits) { return __longlong_as_double(static_cast<long long>(bits)); }
};

struct Add {
  template <class T>
  static __device__ __forceinline__ T apply(T* at, uint, const AtomicParams& params, uint&) {
    return atomicAdd(at, number<T>(params.one));
  }
};
// Of two halves at once, in the memory that the address is in: cuda_fp16.h's atomicAdd asks each address for it.
template <bool USED>
struct AddHalves {
  static __device__ __forceinline__ f16x2 apply(f16x2* at, uint, const AtomicParams& params, uint&) {
    const std::size_t address = __cvta_generic_to_global(at);
    const uint one = Bits<f16x2>::of(number<f16x2>(params.one));
    uint before = one;
    if constexpr (USED) {
      asm volatile("atom.relaxed.gpu.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(one) : "memory");
    } else {
      asm volatile("red.relaxed.gpu.global.add.noftz.f16x2 [%0], %1;" ::"l"(address), "r"(one) : "memory");
    }
    return Bits<f16x2>::value(before);
  }
};
struct AddHalvesShared {
  static __device__ __forceinline__ f16x2 apply(f16x2* at, uint, const AtomicParams& params, uint&) {
    const f16x2 one = number<f16x2>(params.one);
    asm volatile("red.relaxed.cta.shared.add.noftz.f16x2 [%0], %1;" ::"l"(__cvta_generic_to_shared(at)),
                 "r"(Bits<f16x2>::of(one))
                 : "memory");
    return one;
  }
};
// PTX has it of vectors of halves alone.
struct MinHalves {
  static __device__ __forceinline__ f16x2 apply(f16x2* at, uint op, const AtomicParams&, uint&) {
    const __half least = __uint2half_rn(EXP09_LEAST_HALF(op));
    asm volatile("red.relaxed.gpu.global.v2.f16.min.noftz [%0], {%1, %1};" ::"l"(__cvta_generic_to_global(at)),
                 "h"(__half_as_ushort(least))
                 : "memory");
    return __half2half2(least);
  }
};
struct Min {
  template <class T>
  static __device__ __forceinline__ T apply(T* at, uint op, const AtomicParams&, uint&) {
    return atomicMin(at, static_cast<T>(EXP09_LEAST(op)));
  }
};
struct Exchange {
  template <class T>
  static __device__ __forceinline__ T apply(T* at, uint op, const AtomicParams&, uint&) {
    return atomicExch(at, static_cast<T>(EXP09_NAME(op)));
  }
};
// A loop that adds.
struct Cas {
  template <class T>
  static __device__ __forceinline__ T apply(T* at, uint, const AtomicParams& params, uint& turns) {
    using Word = typename Bits<T>::Word;
    Word* word = reinterpret_cast<Word*>(at);
    Word expected = *static_cast<volatile Word*>(word);
#pragma unroll 1
    for (uint turn = 1; turn <= params.turns; ++turn) {
      const Word next = Bits<T>::of(Bits<T>::value(expected) + number<T>(params.one));
      const Word found = atomicCAS(word, expected, next);
      if (found == expected) {
        turns += turn;
        return Bits<T>::value(found);
      }
      expected = found;
    }
    turns = EXP09_GAVE_UP;
    return number<T>(0);
  }
};
// Takes what is there, and puts it back with its own added; whatever came there meanwhile it takes again.
struct ExchangeLoop {
  template <class T>
  static __device__ __forceinline__ T apply(T* at, uint, const AtomicParams& params, uint& turns) {
    T carried = static_cast<T>(params.one);
#pragma unroll 1
    for (uint turn = 1; turn <= params.turns; ++turn) {
      const T taken = atomicExch(at, static_cast<T>(0));
      carried = atomicExch(at, taken + carried);
      if (carried == 0) {
        turns += turn;
        return carried;
      }
    }
    turns = EXP09_GAVE_UP;
    return carried;
  }
};
// A warp adds up, and one of its lanes adds that.
struct First {
  template <class T>
  static __device__ __forceinline__ T apply(T* at, uint, const AtomicParams& params, uint&) {
    T sum = static_cast<T>(params.one);
    for (uint step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(at, sum);
    return sum;
  }
};

template <class Op>
constexpr bool kLoops = false;
template <>
constexpr bool kLoops<Cas> = true;
template <>
constexpr bool kLoops<ExchangeLoop> = true;

template <class T, class Op, bool USED>
__device__ __forceinline__ void operate(T* words, T* result, const AtomicParams& params, uint first_op, uint ops_a_step) {
  const uint thread = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = number<T>(0);
  uint turns = 0;
  uint op = first_op;
#pragma unroll 1
  for (uint step = 0; step < params.steps; step += params.one) {
    const T before = Op::apply(words + EXP09_ADDRESS(op, params.mask), op, params, turns);
    if constexpr (USED) sum += before;
    op += ops_a_step;
    if (kLoops<Op> && turns == EXP09_GAVE_UP) break;
  }
  if constexpr (USED) result[thread] = sum;
  if constexpr (kLoops<Op>) reinterpret_cast<uint*>(result)[thread] = turns;
}

// Every thread adds a 1 that stands in the source to one word: the compiler sees that a warp's lanes meet.
template <bool USED>
__device__ __forceinline__ void add_known(i32* data, i32* result, const AtomicParams& params) {
  i32 sum = 0;
#pragma unroll 1
  for (uint step = 0; step < params.steps; step += params.one) {
    const i32 before = atomicAdd(data, 1);
    if constexpr (USED) sum += before;
  }
  if constexpr (USED) result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#define KERNEL_ADD_KNOWN(used, USED)                                                                   \
  extern "C" __global__ void global_add_known_i32##used(i32* data, i32* result, AtomicParams params) { \
    add_known<USED>(data, result, params);                                                             \
  }

template <class T, class Op, bool USED>
__device__ __forceinline__ void in_global(T* data, T* result, const AtomicParams& params) {
  operate<T, Op, USED>(data, result, params, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

template <class T, class Op, bool USED>
__device__ __forceinline__ void in_shared(T* data, T* result, const AtomicParams& params) {
  __shared__ T words[EXP09_MOST_SHARED];
  T* own = data + blockIdx.x * (params.mask + 1);
  for (uint i = threadIdx.x; i <= params.mask; i += blockDim.x) words[i] = own[i];
  __syncthreads();
  operate<T, Op, USED>(words, result, params, threadIdx.x, blockDim.x);
  __syncthreads();
  for (uint i = threadIdx.x; i <= params.mask; i += blockDim.x) own[i] = words[i];
}

#define KERNEL(place, op, T, Op, used, USED)                                                     \
  extern "C" __global__ void place##_##op##_##T##used(T* data, T* result, AtomicParams params) { \
    in_##place<T, Op, USED>(data, result, params);                                               \
  }

// All kernels of a place: see CMakeLists.txt for their twins.
#define KERNELS(place)                                     \
  KERNEL(place, add, i32, Add, , false)                    \
  KERNEL(place, add, i64, Add, , false)                    \
  KERNEL(place, add, f32, Add, , false)                    \
  KERNEL(place, add, f64, Add, , false)                    \
  KERNEL(place, add, i32, Add, _used, true)                \
  KERNEL(place, add, i64, Add, _used, true)                \
  KERNEL(place, add, f32, Add, _used, true)                \
  KERNEL(place, add, f64, Add, _used, true)                \
  KERNEL(place, min, i32, Min, , false)                    \
  KERNEL(place, min, i64, Min, , false)                    \
  KERNEL(place, exchange, i32, Exchange, _used, true)      \
  KERNEL(place, exchange, i64, Exchange, _used, true)      \
  KERNEL(place, exchange, f32, Exchange, _used, true)      \
  KERNEL(place, cas, i32, Cas, , false)                    \
  KERNEL(place, cas, i64, Cas, , false)                    \
  KERNEL(place, cas, f32, Cas, , false)                    \
  KERNEL(place, cas, f64, Cas, , false)                    \
  KERNEL(place, exchange_loop, f32, ExchangeLoop, , false) \
  KERNEL(place, first, i32, First, , false)                \
  KERNEL(place, first, f32, First, , false)
