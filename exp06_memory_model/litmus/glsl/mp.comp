// MP, message passing: is a payload there once its flag is? Weak: r0 = 1, r1 = 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#include "litmus.glsl"

uint owner(uint) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
  between();
  write(y(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  r[0] = read(y(instance[1]));
  between();
  r[1] = read(x(instance[1]));
}

void main() { play(); }
