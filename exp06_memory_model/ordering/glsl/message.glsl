// Two workgroups of one invocation pass a number back and forth, `steps` rounds of two messages: the flag alone, or, with
// PAYLOAD, with a word in another line, written before the flag and read after it. No wait is without an end. ORDER: relaxed
// orders nothing but the flag; acq_rel sends with release and polls with acquire; fence polls relaxed and fences once.
#include "orders.glsl"

// The qualifier stands with the member: glslang drops one that stands with a buffer reference's block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Shared { nonprivate uint at[]; };

uint poll(uint i) { return ORDER == EXP06_ACQ_REL ? load_acquire(data, i) : load_relaxed(data, i); }

void send(uint i, uint value) {
  if (ORDER == EXP06_ACQ_REL) {
    store_release(data, i, value);
  } else {
    if (ORDER == EXP06_FENCE) fence_acq_rel();
    store_relaxed(data, i, value);
  }
}

// Where a poll looks depends on what the one before found: no two become one. EXP06_POLLS polls a turn: Mesa's lavapipe ends a
// kernel's loops after 65535 turns of all of them together.
bool wait_for(uint i, uint value) {
  uint found = 0;
  [[dont_unroll]] for (uint spin = 0; spin < params.spins; ++spin) {
    [[unroll]] for (uint polls = 0; polls < EXP06_POLLS; ++polls) {
      found = poll(i + (found & params.zero));
      if (found == value) {
        if (ORDER == EXP06_FENCE) fence_acq_rel();
        return true;
      }
    }
  }
  return false;
}

// The flags go on counting from dispatch to dispatch: both start from what the last one left, each its own.
void main() {
  Shared payload = Shared(data);
  const uint me = gl_WorkGroupID.x;
  const uint peer = 1 - me;
  const uint before = poll(EXP06_FLAG(me));
  uint rounds = 0;
  uint stale = 0;
  [[dont_unroll]] for (uint turn = 0; turn < 2 * params.steps; ++turn) {
    const uint flag = before + 1 + turn / 2;
    if ((turn & 1) == me) {
      if (PAYLOAD) payload.at[EXP06_PAYLOAD(me)] = EXP06_MESSAGE(flag);
      send(EXP06_FLAG(me), flag);
    } else {
      if (!wait_for(EXP06_FLAG(peer), flag)) break;
      if (PAYLOAD && payload.at[EXP06_PAYLOAD(peer)] != EXP06_MESSAGE(flag)) ++stale;
      ++rounds;
    }
  }
  result.at[EXP06_OUT_ROUNDS + me] = rounds;
  result.at[EXP06_OUT_STALE + me] = stale;
}
