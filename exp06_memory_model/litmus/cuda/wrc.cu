// WRC, write to read causality: is what one thread has seen there for a third it tells? Weak: r0 = 1, r1 = 1, r2 = 0.
#include "litmus.cuh"

struct Wrc {
  static constexpr int kRoles = 3;
  static constexpr int kRegisters = 3;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint k) { return k == 0 ? 1 : 2; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.x(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[0] = read<kStrength>(at.x(instance[1]));
    between<kStrength>();
    write<kStrength>(at.y(instance[1]), 1);
    r[1] = read<kStrength>(at.y(instance[2]));
    between<kStrength>();
    r[2] = read<kStrength>(at.x(instance[2]));
  }
};

LITMUS_CAUSAL(wrc, Wrc)
