// Which GPU this thread's CUDA calls mean.
#pragma once

#include "cuda/api/error.h"

namespace bench::cuda {

// Makes a device the current one while it lives, and then the one before it again. Throws Error.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal) {
    BENCH_CU(cudaGetDevice(&before_));
    if (ordinal != before_) BENCH_CU(cudaSetDevice(ordinal), "device {}", ordinal);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  // Asks what is current: a Device's constructor makes its own so.
  ~CurrentDevice() noexcept {
    int now = before_;
    static_cast<void>(cudaGetDevice(&now));
    if (now != before_) static_cast<void>(cudaSetDevice(before_));
  }

 private:
  int before_ = 0;
};

}  // namespace bench::cuda
