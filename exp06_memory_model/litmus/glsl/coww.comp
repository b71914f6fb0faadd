// CoWW: does the later of a thread's two stores to one word win? Violated: x = 1. Another thread reads meanwhile.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ROLES 2u
#define READS 1u
#include "litmus.glsl"

uint owner(uint) { return 1u; }

void first(const uint instance[4], inout uint r[4]) {
  if (params.fault == 0u) {
    write(x(instance[0]), 1u);
    write(x(instance[0]), 2u);
  } else {
    write(x(instance[0]), 2u);
    write(x(instance[0]), 1u);
  }
}

void second(const uint instance[4], inout uint r[4]) {
  r[0] = read(x(instance[1]));
}

void main() { play(); }
