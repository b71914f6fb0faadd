// A consumer has looked at a flag before its producer sets it, and looks again, at most so often. r0 = 0: never seen;
// r1: what the look before saw.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#define IN_ORDER
#include "litmus.glsl"

uint owner(uint k) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  r[1] = read(y(instance[1]));
  r[0] = r[1];
  write(y(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  if (r[0] == 0u) r[0] = poll(y(instance[1]), params.polls);
}

void main() { play(); }
