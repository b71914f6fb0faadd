// 2+2W: two threads store to both words, in opposite order; does each first store win? Weak: x = 1, y = 1.
#include "litmus.cuh"

struct TwoPlusTwoW {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 0;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint) { return 0; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.x(instance[0]), 1);
    between<kStrength>();
    write<kStrength>(at.y(instance[0]), 2);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.y(instance[1]), 1);
    between<kStrength>();
    write<kStrength>(at.x(instance[1]), 2);
  }
};

LITMUS_SC(two_plus_two_w, TwoPlusTwoW)
