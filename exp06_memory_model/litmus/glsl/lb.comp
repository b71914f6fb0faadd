// LB, load buffering: does a store overtake the load before it? Weak: r0 = 1, r1 = 1.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#include "litmus.glsl"

uint owner(uint k) { return k; }

void first(const uint instance[4], inout uint r[4]) {
  r[0] = read(x(instance[0]));
  between();
  write(y(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  r[1] = read(y(instance[1]));
  between();
  write(x(instance[1]), 1u);
}

void main() { play(); }
