#include "vulkan/device/backend.h"

#include "vulkan/api/instance.h"
#include "vulkan/device/device.h"

namespace bench::vulkan {
namespace {

class VulkanBackend : public Backend {
 public:
  Api api() const override { return Api::kVulkan; }

  std::vector<DeviceInfo> list() override {
    reason_.clear();
    try {
      std::vector<DeviceInfo> devices = Instance(false).list();
      if (devices.empty()) {
        reason_ = fmt::format("the Vulkan drivers of this machine offer no device: {}", kNoDriverHint);
      }
      return devices;
    } catch (const Skip& skip) {
      reason_ = skip.what();
    } catch (const std::exception& error) {  // a loader or driver that is there and fails
      reason_ = fmt::format("{}; {}", error.what(), kNoDriverHint);
    }
    return {};
  }

  std::string unavailable_reason() override {
    list();
    return reason_;
  }

  std::unique_ptr<Device> open(const DeviceInfo& info, const DeviceOptions& options) override {
    return std::make_unique<VulkanDevice>(info, options);
  }

 private:
  std::string reason_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<VulkanBackend>(); }

}  // namespace bench::vulkan
