// S: may a store that follows what it has seen be overwritten by an older one? Weak: r0 = 1, x = 2.
#include "litmus.cuh"

struct S {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 1;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint) { return 1; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.x(instance[0]), 2);
    between<kStrength>();
    write<kStrength>(at.y(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[0] = read<kStrength>(at.y(instance[1]));
    between<kStrength>();
    write<kStrength>(at.x(instance[1]), 1);
  }
};

LITMUS_CAUSAL(s, S)
