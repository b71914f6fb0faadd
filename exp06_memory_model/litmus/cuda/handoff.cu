// A producer stores a plain payload (x), then a flag (y); a consumer looks for the flag, at most so often, then at the payload.
// Stale: r0 = 1, r1 = 0. r0 = 0: never seen.
#include "litmus.cuh"

struct Handoff {
  static constexpr int kRoles = 2;
  static constexpr int kRegisters = 2;
  static constexpr bool kEitherFirst = false;
  static constexpr __device__ uint owner(uint) { return 1; }

  template <uint kStrength>
  static __device__ __forceinline__ void first(const Places& at, const uint* instance, uint*) {
    write<LITMUS_WEAK>(at.x(instance[0]), 1);
    write<kStrength>(at.y(instance[0]), 1);
  }

  template <uint kStrength>
  static __device__ __forceinline__ void second(const Places& at, const uint* instance, uint* r) {
    r[0] = poll<kStrength>(at.y(instance[1]), at.params.polls);
    r[1] = read<LITMUS_WEAK>(at.x(instance[1]));
  }
};

LITMUS_ENTRY(handoff, Handoff, relaxed, LITMUS_RELAXED)
LITMUS_ENTRY(handoff, Handoff, release_acquire, LITMUS_RELEASE_ACQUIRE)
