// CoRW: does a load see its own thread's store after it? Violated: r0 = 1, r1 = 2, and alike.
#include "litmus.cuh"

struct Corw {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint k) { return k; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint* r) {
    r[0] = read<kStrength>(at.x(instance[0]));
    write<kStrength>(at.x(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[1] = read<kStrength>(at.x(instance[1]));
    write<kStrength>(at.x(instance[1]), 2);
  }
};

LITMUS_ENTRY(corw, Corw, relaxed, LITMUS_RELAXED)
