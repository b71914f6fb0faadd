// Every invocation does `steps` atomic operations: in a buffer, or, with IN_SHARED, in its workgroup's shared memory, whose words
// go to the buffer at the end. T: the type. One of ADD, ADD_KNOWN, MIN, EXCHANGE, CAS (a loop that adds), EXCHANGE_LOOP (it adds,
// too), FIRST (a subgroup adds up, and one of its invocations adds that). USED: what came back is summed up and stored.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_atomic_int64 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_atomic_float : enable
#ifdef F16X2
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#ifndef CAS
#extension GL_NV_shader_atomic_fp16_vector : require
#endif
#endif
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : enable
#pragma use_vulkan_memory_model
#include "params.h"

layout(local_size_x_id = 0) in;

// What a word holds: of a compare-and-swap its bits.
#if defined(CAS) && defined(F32)
#define WORD uint
#define BITS(value) floatBitsToUint(value)
#define VALUE(bits) uintBitsToFloat(bits)
#elif defined(CAS) && defined(F64)
#define WORD uint64_t
#define BITS(value) packUint2x32(unpackDouble2x32(value))
#define VALUE(bits) packDouble2x32(unpackUint2x32(bits))
#elif defined(CAS) && defined(F16X2)
#define WORD uint
#define BITS(value) packFloat2x16(value)
#define VALUE(bits) unpackFloat2x16(bits)
#else
#define WORD T
#define BITS(value) value
#define VALUE(bits) bits
#endif

layout(buffer_reference, std430, buffer_reference_align = 8) buffer Data { nonprivate WORD at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Sums { T at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Turns { uint at[]; };
layout(push_constant, std430) uniform Push {
  Data data;
  Sums result;
  AtomicParams params;
};

#ifdef IN_SHARED
shared WORD words[EXP09_MOST_SHARED];
#define PLACE(i) words[i]
#define SCOPE gl_ScopeWorkgroup
#define STORAGE gl_StorageSemanticsShared
uint first_op() { return gl_LocalInvocationIndex; }
uint ops_a_step() { return gl_WorkGroupSize.x; }
#else
#define PLACE(i) data.at[i]
#define SCOPE gl_ScopeDevice
#define STORAGE gl_StorageSemanticsBuffer
uint first_op() { return gl_GlobalInvocationID.x; }
uint ops_a_step() { return gl_NumWorkGroups.x * gl_WorkGroupSize.x; }
#endif
#define RELAXED SCOPE, gl_StorageSemanticsNone, gl_SemanticsRelaxed

uint turns = 0;

T operation(uint op) {
  const uint i = EXP09_ADDRESS(op, params.mask);
#if defined(ADD) && defined(F16X2)  // relaxed, of the queue family: GLSL lets nobody choose for halves
  return atomicAdd(PLACE(i), T(params.one));
#elif defined(ADD_KNOWN)  // a 1 that stands in the source, to one word: the compiler sees that a subgroup's invocations meet
  return atomicAdd(data.at[0], T(1), RELAXED);
#elif defined(ADD)
  return atomicAdd(PLACE(i), T(params.one), RELAXED);
#elif defined(MIN) && defined(F16X2)
  return atomicMin(PLACE(i), T(EXP09_LEAST_HALF(op)));
#elif defined(MIN)
  return atomicMin(PLACE(i), T(EXP09_LEAST(op)), RELAXED);
#elif defined(EXCHANGE)
  return atomicExchange(PLACE(i), T(EXP09_NAME(op)), RELAXED);
#elif defined(FIRST)
  const T sum = subgroupAdd(T(params.one));
  if (subgroupElect()) atomicAdd(PLACE(i), sum, RELAXED);
  return sum;
#elif defined(CAS)
  WORD expected = atomicLoad(PLACE(i), RELAXED);
  [[dont_unroll]] for (uint turn = 1; turn <= params.turns; ++turn) {
    const WORD next = BITS(VALUE(expected) + T(params.one));
    const WORD found = atomicCompSwap(PLACE(i), expected, next, SCOPE, gl_StorageSemanticsNone, gl_SemanticsRelaxed,
                                      gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (found == expected) {
      turns += turn;
      return VALUE(found);
    }
    expected = found;
  }
  turns = EXP09_GAVE_UP;
  return T(0);
#else  // EXCHANGE_LOOP: takes what is there, and puts it back with its own added; whatever came there meanwhile it takes again
  T carried = T(params.one);
  [[dont_unroll]] for (uint turn = 1; turn <= params.turns; ++turn) {
    const T taken = atomicExchange(PLACE(i), T(0), RELAXED);
    carried = atomicExchange(PLACE(i), taken + carried, RELAXED);
    if (carried == T(0)) {
      turns += turn;
      return carried;
    }
  }
  turns = EXP09_GAVE_UP;
  return carried;
#endif
}

void main() {
#ifdef IN_SHARED
  const uint first = gl_WorkGroupID.x * (params.mask + 1);
  for (uint i = gl_LocalInvocationIndex; i <= params.mask; i += gl_WorkGroupSize.x) words[i] = data.at[first + i];
  barrier();
#endif
  T sum = T(0);
  uint op = first_op();
  [[dont_unroll]] for (uint step = 0; step < params.steps; step += params.one) {
#ifdef USED
    sum += operation(op);
#else
    operation(op);
#endif
    op += ops_a_step();
#if defined(CAS) || defined(EXCHANGE_LOOP)
    if (turns == EXP09_GAVE_UP) break;
#endif
  }
#ifdef USED
  result.at[gl_GlobalInvocationID.x] = sum;
#endif
#if defined(CAS) || defined(EXCHANGE_LOOP)
  Turns(result).at[gl_GlobalInvocationID.x] = turns;
#endif
#ifdef IN_SHARED
  barrier();
  for (uint i = gl_LocalInvocationIndex; i <= params.mask; i += gl_WorkGroupSize.x) data.at[first + i] = words[i];
#endif
}
