// The kernels that make a device's input, sum up its output, and do nothing, the same for both APIs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/device/checksum.h"
#include "core/device/device.h"

namespace bench {

class DataKernels {
 public:
  // `images` has random_words, checksum and empty; each is loaded when it is first wanted. The device outlives this.
  DataKernels(Device& device, std::span<const KernelImages> images) : device_(device), images_(images) {}

  // See Device::fill_random and Device::checksum.
  void fill_random(const Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key);
  Checksum checksum(const Buffer& from, std::uint64_t words);
  // See Device::empty_launch.
  Launch empty_launch();
  // See Device::cache_probe.
  Launch cache_probe();

 private:
  Device& device_;
  std::span<const KernelImages> images_;
  std::unique_ptr<Kernel> empty_;
  std::unique_ptr<Kernel> random_words_;
  std::unique_ptr<Kernel> checksum_;
  std::unique_ptr<Buffer> sums_;
  std::unique_ptr<Kernel> probe_;
  std::unique_ptr<Buffer> probed_;
  std::unique_ptr<Buffer> probe_end_;
};

}  // namespace bench
