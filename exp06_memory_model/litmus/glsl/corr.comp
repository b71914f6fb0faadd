// CoRR: do two loads of one word see its values in order? Violated: r0 = 1, r1 = 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#include "litmus.glsl"

uint owner(uint) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  write(x(instance[0]), 1u);
}

void second(const uint instance[4], inout uint r[4]) {
  if (params.fault == 0u) {
    r[0] = read(x(instance[1]));
    r[1] = read(x(instance[1]) + params.zero);
  } else {
    r[1] = read(x(instance[1]) + params.zero);
    r[0] = read(x(instance[1]));
  }
}

void main() { play(); }
