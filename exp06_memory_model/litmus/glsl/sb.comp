// SB, store buffering: does a load overtake the store before it? Weak: r0 = 0, r1 = 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#include "litmus.glsl"

uint owner(uint k) { return k; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
  between();
  r[0] = read(y(instance[0]));
}

void second(const uint instance[4], inout uint r[4]) {
  write(y(instance[1]), 1u);
  between();
  r[1] = read(x(instance[1]));
}

void main() { play(); }
