// IRIW, independent reads of independent writes: do two readers see two stores in opposite order? Weak: 1, 0, 1, 0.
#include "litmus.cuh"

struct Iriw {
  static constexpr int kRoles = 4;
  static constexpr int kRegisters = 4;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint k) { return 2 + k / 2; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.x(instance[0]), 1);
    write<kStrength>(at.y(instance[1]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[0] = read<kStrength>(at.x(instance[2]));
    between<kStrength>();
    r[1] = read<kStrength>(at.y(instance[2]));
    r[2] = read<kStrength>(at.y(instance[3]));
    between<kStrength>();
    r[3] = read<kStrength>(at.x(instance[3]));
  }
};

LITMUS_SC(iriw, Iriw)
