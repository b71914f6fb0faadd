// IRIW, independent reads of independent writes: do two readers see two stores in opposite order? Weak: 1, 0, 1, 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 4u
#define READS 4u
#include "litmus.glsl"

uint owner(uint k) { return 2u + k / 2u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
  write(y(instance[1]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  r[0] = read(x(instance[2]));
  between();
  r[1] = read(y(instance[2]));
  r[2] = read(y(instance[3]));
  between();
  r[3] = read(x(instance[3]));
}

void main() { play(); }
