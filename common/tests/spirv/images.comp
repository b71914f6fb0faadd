// What own kernels may not take, and one buffer.
#version 460
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba8) uniform image2D picture;
layout(set = 0, binding = 1) uniform sampler2D pattern;
layout(set = 1, binding = 2, r32f) uniform imageBuffer texels;
layout(std430, set = 0, binding = 3) buffer Out { vec4 value; };

void main() {
  value = imageLoad(picture, ivec2(0)) + texture(pattern, vec2(0)) + imageLoad(texels, 0);
}
