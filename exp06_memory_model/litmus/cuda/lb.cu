// LB, load buffering: does a store overtake the load before it? Weak: r0 = 1, r1 = 1.
#include "litmus.cuh"

struct Lb {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint k) { return k; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint* r) {
    r[0] = read<kStrength>(at.x(instance[0]));
    between<kStrength>();
    write<kStrength>(at.y(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[1] = read<kStrength>(at.y(instance[1]));
    between<kStrength>();
    write<kStrength>(at.x(instance[1]), 1);
  }
};

LITMUS_CAUSAL(lb, Lb)
