// WRC, write to read causality: is what one thread has seen there for a third it tells? Weak: r0 = 1, r1 = 1, r2 = 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 3u
#define READS 3u
#include "litmus.glsl"

uint owner(uint k) { return k == 0u ? 1u : 2u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  r[0] = read(x(instance[1]));
  between();
  write(y(instance[1]), 1u);
  r[1] = read(y(instance[2]));
  between();
  r[2] = read(x(instance[2]));
}

void main() { play(); }
