// out[i] = in0[i] + in1[i] + ... in the order of the inputs; one float an invocation, coalesced: 4 bytes read an input, 4 written.
// Included after INPUTS and READ(k, i), WRITE(i, value) and COUNT, which say how the buffers are reached.
layout(local_size_x_id = 0) in;

#define ADD(k) value += READ(k, i);

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= COUNT) return;
  float value = READ(0, i);
  EACH_OTHER(ADD)
  WRITE(i, value);
}
