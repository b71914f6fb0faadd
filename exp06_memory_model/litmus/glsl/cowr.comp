// CoWR: does a load see its own thread's store before it, or a later one? Violated: r0 = 0, and alike.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 2u
#include "litmus.glsl"

uint owner(uint k) { return k; }

void first(const uint instance[4], inout uint r[4]) {
  if (params.fault == 0u) {
    write(x(instance[0]), 1u);
    r[0] = read(x(instance[0]));
  } else {
    r[0] = read(x(instance[0]));
    write(x(instance[0]), 1u);
  }
}

void second(const uint instance[4], inout uint r[4]) {
  if (params.fault == 0u) {
    write(x(instance[1]), 2u);
    r[1] = read(x(instance[1]));
  } else {
    r[1] = read(x(instance[1]));
    write(x(instance[1]), 2u);
  }
}

void main() { play(); }
