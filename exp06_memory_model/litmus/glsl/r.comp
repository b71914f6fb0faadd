// R: does a load overtake a store that won over another's? Weak: r0 = 0, y = 2.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 1u
#include "litmus.glsl"

uint owner(uint) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
  between();
  write(y(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  write(y(instance[1]), 2u);
  between();
  r[0] = read(x(instance[1]));
}

void main() { play(); }
