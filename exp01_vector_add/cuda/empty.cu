// Nothing: what a launch costs by itself.
extern "C" __global__ void empty() {}
