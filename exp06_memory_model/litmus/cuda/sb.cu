// SB, store buffering: does a load overtake the store before it? Weak: r0 = 0, r1 = 0.
#include "litmus.cuh"

struct Sb {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint k) { return k; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint* r) {
    write<kStrength>(at.x(instance[0]), 1);
    between<kStrength>();
    r[0] = read<kStrength>(at.y(instance[0]));
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    write<kStrength>(at.y(instance[1]), 1);
    between<kStrength>();
    r[1] = read<kStrength>(at.x(instance[1]));
  }
};

LITMUS_SC(sb, Sb)
