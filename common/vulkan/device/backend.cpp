#include "vulkan/device/backend.h"

#include <map>
#include <memory>
#include <utility>

#include "vulkan/api/instance.h"
#include "vulkan/device/device.h"
#include "vulkan/device/listing_device.h"

namespace bench::vulkan {
namespace {

class VulkanBackend : public Backend {
 public:
  Api api() const override { return kApi; }

  DeviceListing list() override {
    try {
      const std::shared_ptr<const Instance> instance = instance_for({});
      DeviceListing listed = {instance->list(), ""};
      const std::vector<std::string> layers = instance->foreign_layers();
      for (DeviceInfo& device : listed.devices) device.layers = layers;
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
    if (options.inspect && (options.compile_only || info.memory_bytes == 0)) {
      DeviceOptions without_gpu = options;
      without_gpu.compile_only = true;
      return std::make_unique<ListingDevice>(info, without_gpu, instance_for(options));
    }
    return std::make_unique<VulkanDevice>(info, options, instance_for(options));
  }

  std::unique_ptr<Device> open_compiler(const DeviceInfo& info, const DeviceOptions& options) override {
    if (info.is_cpu) return nullptr;
    DeviceOptions listing = options;
    listing.inspect = listing.compile_only = true;
    auto device = std::make_unique<ListingDevice>(info, listing, instance_for(options));
    if (!device->context().features().pipeline_executable_info) return nullptr;
    return device;
  }

  bool is_another(const VulkanChoice& one, const VulkanChoice& other) const override { return one != other; }

 private:
  // One for all that is opened alike, kept: NVIDIA's driver survives only some two dozen instances in a process, one after
  // another.
  std::shared_ptr<const Instance> instance_for(const DeviceOptions& options) {
    std::shared_ptr<const Instance>& one = instances_[{options.validate, options.labels}];
    if (!one) one = std::make_shared<Instance>(options.validate, options.labels);
    return one;
  }

  std::map<std::pair<bool, bool>, std::shared_ptr<const Instance>> instances_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<VulkanBackend>(); }

}  // namespace bench::vulkan
