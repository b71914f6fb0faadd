// A producer stores a plain payload (x), then a flag (y); a consumer looks for the flag, at most so often, then at the payload.
// Stale: r0 = 1, r1 = 0. r0 = 0: never seen.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#define IN_ORDER
#define LOCATIONS nonprivate
#define RELEASE (gl_SemanticsRelease | gl_SemanticsMakeAvailable)
#define ACQUIRE (gl_SemanticsAcquire | gl_SemanticsMakeVisible)
#include "litmus.glsl"

uint owner(uint k) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  locations[x(instance[0])] = 1u;
  write(y(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  r[0] = poll(y(instance[1]), params.polls);
  r[1] = locations[x(instance[1])];
}

void main() { play(); }
