// A consumer has looked at a flag before its producer sets it, and looks again, at most so often. r0 = 0: never seen;
// r1: what the look before saw.
#include "litmus.cuh"

struct Flag {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = false;
  static constexpr __device__ uint owner(uint) { return 1; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint* r) {
    r[1] = read<kStrength>(at.y(instance[1]));
    r[0] = r[1];
    write<kStrength>(at.y(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    if (r[0] == 0) r[0] = poll<kStrength>(at.y(instance[1]), at.params.polls);
  }
};

LITMUS_ENTRY(flag, Flag, relaxed, LITMUS_RELAXED)
LITMUS_ENTRY(flag, Flag, relaxed_block, LITMUS_RELAXED_BLOCK)
