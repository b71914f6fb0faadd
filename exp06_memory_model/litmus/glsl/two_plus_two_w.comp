// 2+2W: two threads store to both words, in opposite order; does each first store win? Weak: x = 1, y = 1.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 0u
#include "litmus.glsl"

uint owner(uint) { return 0u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
  between();
  write(y(instance[0]), 2u);
}

void second(const uint instance[4], inout uint r[4]) {
  write(y(instance[1]), 1u);
  between();
  write(x(instance[1]), 2u);
}

void main() { play(); }
