// Nothing: what every launch takes.
// Twin: common/vulkan/kernels/empty.comp.
extern "C" __global__ void empty() {}
