// MP, message passing: is a payload there once its flag is? Weak: r0 = 1, r1 = 0.
#include "litmus.cuh"

struct Mp {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
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
    r[0] = read<kStrength>(at.y(instance[1]));
    between<kStrength>();
    r[1] = read<kStrength>(at.x(instance[1]));
  }
};

LITMUS_CAUSAL(mp, Mp)
