// The largest of a workgroup's values, or their sum.
shared float partial[THREADS];

float reduced(float value, bool is_max) {
  const uint thread = gl_LocalInvocationID.x;
  partial[thread] = value;
  barrier();
  for (uint halved = THREADS / 2; halved > 0; halved /= 2) {
    if (thread < halved) {
      const float other = partial[thread + halved];
      partial[thread] = is_max ? max(partial[thread], other) : partial[thread] + other;
    }
    barrier();
  }
  const float result = partial[0];
  barrier();
  return result;
}
