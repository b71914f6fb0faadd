#include "vulkan/device/backend.h"

#include "vulkan/api/instance.h"
#include "vulkan/device/device.h"

namespace bench::vulkan {
namespace {

class VulkanBackend : public Backend {
 public:
  Api api() const override { return kApi; }

  DeviceListing list() override {
    try {
      DeviceListing listed = {Instance(false).list(), ""};
      if (listed.devices.empty()) {
        listed.reason = fmt::format("the Vulkan drivers of this machine offer no device: {}", kNoDriverHint);
      }
      listed.missing =
          "install the GPU's Vulkan driver (in a container: its graphics driver files, NVIDIA_DRIVER_CAPABILITIES=all)";
      return listed;
    } catch (const Skip& skip) {
      return {{}, skip.what()};
    } catch (const std::exception& error) {  // a loader or driver that is there and fails
      return {{}, fmt::format("{}; {}", error.what(), kNoDriverHint)};
    }
  }

  std::unique_ptr<Device> open(const DeviceInfo& info, const DeviceOptions& options) override {
    return std::make_unique<VulkanDevice>(info, options);
  }

  bool is_another(const VulkanChoice& one, const VulkanChoice& other) const override { return one != other; }
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<VulkanBackend>(); }

}  // namespace bench::vulkan
