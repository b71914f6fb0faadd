// Eight columns of f16 weights times as many inputs.
float dot2(uint weights, uint x, float sum) {
  const vec2 w = unpackHalf2x16(weights);
  const vec2 v = unpackHalf2x16(x);
  return sum + w.x * v.x + w.y * v.y;
}

float dot8(uvec4 weights, uvec4 x, float sum) {
  sum = dot2(weights.x, x.x, sum);
  sum = dot2(weights.y, x.y, sum);
  sum = dot2(weights.z, x.z, sum);
  return dot2(weights.w, x.w, sum);
}
