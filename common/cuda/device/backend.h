// The CUDA side's entry point; needs no CUDA header.
#pragma once

#include <memory>

#include "core/device/device.h"
#include "cuda/api/identity.h"

namespace bench::cuda {

// Never fails: without a CUDA toolkit at build time, a driver or a GPU, the backend lists nothing and says why.
std::unique_ptr<Backend> make_backend();

}  // namespace bench::cuda
