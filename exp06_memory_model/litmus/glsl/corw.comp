// CoRW: does a load see its own thread's store after it? Violated: r0 = 1, r1 = 2, and alike.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#include "litmus.glsl"

uint owner(uint k) { return k; }

void first(const uint instance[4], inout uint r[4]) {
  if (params.fault == 0u) {
    r[0] = read(x(instance[0]));
    write(x(instance[0]), 1u);
  } else {
    write(x(instance[0]), 1u);
    r[0] = read(x(instance[0]));
  }
}

void second(const uint instance[4], inout uint r[4]) {
  if (params.fault == 0u) {
    r[1] = read(x(instance[1]));
    write(x(instance[1]), 2u);
  } else {
    write(x(instance[1]), 2u);
    r[1] = read(x(instance[1]));
  }
}

void main() { play(); }
