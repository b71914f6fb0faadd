// CoRR: do two loads of one word see its values in order? Violated: r0 = 1, r1 = 0.
#include "litmus.cuh"

struct Corr {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint) { return 1; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<kStrength>(at.x(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    const auto one = [&] { r[0] = read<kStrength>(at.x(instance[1])); };
    const auto other = [&] { r[1] = read<kStrength>(at.x(instance[1]) + at.params.zero); };
    in_order(at.params, one, other);
  }
};

LITMUS_ENTRY(corr, Corr, relaxed, LITMUS_RELAXED)
LITMUS_ENTRY(corr, Corr, weak, LITMUS_WEAK)
LITMUS_ENTRY(corr, Corr, relaxed_block, LITMUS_RELAXED_BLOCK)
