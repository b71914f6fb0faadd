// What the Vulkan tests share: a device with the validation layer where it is installed, and the embedded kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/device/kernel_images.h"
#include "vulkan/device/backend.h"
#include "vulkan/kernels/params.h"
#include "vulkan_support_kernels.h"

namespace bench::vulkan {

// Opens the first Vulkan device; skips the test, with the reason, if there is none that will do.
// The parameter: whether the validation layer watches. After each test it must have had nothing to say.
class VulkanTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const std::unique_ptr<Backend> backend = make_backend();
    const auto [devices, reason, missing] = backend->list();
    if (devices.empty()) {
      GTEST_SKIP() << reason;
    }
    try {
      // NVIDIA's driver survives only some two dozen loadings in a process (seen with 580.159); one device that stays keeps it
      // in.
      static const std::unique_ptr<Device> stays = backend->open(devices.front(), {});
      device_ = backend->open(devices.front(), {.validate = GetParam(), .vulkan = choice()});
    } catch (const Skip& skip) {
      GTEST_SKIP() << skip.what();
    } catch (const Error& error) {
      if (!GetParam() || std::string_view(error.what()).find("is not installed") == std::string_view::npos) {
        throw;
      }
      GTEST_SKIP() << error.what();
    }
  }

  void TearDown() override {
    if (device_ != nullptr && !complaints_expected_) {
      for (const std::string& complaint : device_->complaints()) {
        ADD_FAILURE() << complaint;
      }
    }
  }

  virtual VulkanChoice choice() const { return {}; }
  Device& device() { return *device_; }
  void expect_complaints() { complaints_expected_ = true; }

 private:
  std::unique_ptr<Device> device_;
  bool complaints_expected_ = false;
};

inline const KernelImages& support_kernel(std::string_view stem) { return find_kernel(kernels::vulkan_support(), stem); }

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string validation_name(const testing::TestParamInfo<bool>& info) { return info.param ? "Validated" : "Plain"; }

}  // namespace bench::vulkan
