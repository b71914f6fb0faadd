// S: may a store that follows what it has seen be overwritten by an older one? Weak: r0 = 1, x = 2.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 1u
#include "litmus.glsl"

uint owner(uint) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 2u);
  between();
  write(y(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  r[0] = read(y(instance[1]));
  between();
  write(x(instance[1]), 1u);
}

void main() { play(); }
