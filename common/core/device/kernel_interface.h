// What a kernel takes against what it is given: launched with anything else, it would read past its arguments, in either API
// without a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/device/device.h"

namespace bench {

// Either API: throws Error for a launch without a kernel or a buffer, or with other buffers and parameters than its kernel is
// declared to take; for a copy without a buffer or a size, or beyond a buffer; for passes of nothing.
void check_work(const Work& work);

// Bytes of push constants before the params struct: where `spec.vulkan.binding` hands the buffers over.
std::uint32_t push_bytes_of_buffers(const KernelSpec& spec);

// The bytes of launch.params with the buffers' addresses in them: address_of(index) is that of launch.buffers[index].
std::vector<std::byte> with_addresses(const Launch& launch, const std::function<std::uint64_t(std::uint32_t)>& address_of);

// CUDA: `parameters` are the sizes of the kernel's, in bytes and in order. Throws Error, naming both sides, unless they are
// spec.buffers pointers and, where spec.params_bytes is not 0, a struct of so many bytes; or what spec.cuda.arguments says.
void check_parameters(const KernelSpec& spec, std::span<const std::size_t> parameters);

// Vulkan: the same of spec.images->takes: its bindings and push constants. With spec.vulkan.takes_less, all that it takes must
// be given, but not the other way round. So it is with specialization constants always: kernels of one table get the same ones.
// With spec.vulkan.interface: all bindings and push constants that it takes must be given, of the same kind, and no
// specialization constant that it has not. Throws Error.
void check_spirv(const KernelSpec& spec);

}  // namespace bench
