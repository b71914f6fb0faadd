// A third backend: the host's CPU as a device. Its kernels are host functions, registered by the entry's name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/device/device.h"

namespace bench::cpu {

inline constexpr Api kApi = {
    .csv = "cpu", .name = "the CPU reference", .order = 2, .submitted = "called", .replayed = "called_again"};

// All blocks of one launch.
using HostKernel = std::function<void(const Launch&)>;
using HostKernels = std::map<std::string, HostKernel>;

std::unique_ptr<Backend> make_backend(HostKernels kernels);

// exp01_vector_add's.
HostKernels exp01_kernels();

}  // namespace bench::cpu
