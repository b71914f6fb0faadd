// CoWW: does the later of a thread's two stores to one word win? Violated: x = 1. Another thread reads meanwhile.
#include "litmus.cuh"

struct Coww {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 1;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint) { return 1; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    const auto one = [&] { write<kStrength>(at.x(instance[0]), 1); };
    const auto other = [&] { write<kStrength>(at.x(instance[0]), 2); };
    in_order(at.params, one, other);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[0] = read<kStrength>(at.x(instance[1]));
  }
};

LITMUS_ENTRY(coww, Coww, relaxed, LITMUS_RELAXED)
