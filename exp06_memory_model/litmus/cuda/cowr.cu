// CoWR: does a load see its own thread's store before it, or a later one? Violated: r0 = 0, and alike.
#include "litmus.cuh"

struct Cowr {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = true;
  static constexpr __device__ uint owner(uint k) { return k; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint* r) {
    const auto one = [&] { write<kStrength>(at.x(instance[0]), 1); };
    const auto other = [&] { r[0] = read<kStrength>(at.x(instance[0])); };
    in_order(at.params, one, other);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    const auto one = [&] { write<kStrength>(at.x(instance[1]), 2); };
    const auto other = [&] { r[1] = read<kStrength>(at.x(instance[1])); };
    in_order(at.params, one, other);
  }
};

LITMUS_ENTRY(cowr, Cowr, relaxed, LITMUS_RELAXED)
