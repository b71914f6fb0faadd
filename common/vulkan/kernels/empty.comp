#version 460
// Nothing: what every launch takes.
// Twin: common/cuda/kernels/empty.cu.
layout(local_size_x_id = 0) in;

void main() {}
