// R: does a load overtake a store that won over another's? Weak: r0 = 0, y = 2.
#include "litmus.cuh"

struct R {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 1;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint) { return 1; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.x(instance[0]), 1);
    between<kStrength>();
    write<kStrength>(at.y(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    write<kStrength>(at.y(instance[1]), 2);
    between<kStrength>();
    r[0] = read<kStrength>(at.x(instance[1]));
  }
};

LITMUS_SC(r, R)
