// The loader, a VkInstance and, where asked for, what the validation layer says.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"
#include "vulkan/api/raii.h"

namespace bench::vulkan {

// Collects the validation layer's warnings and errors. Its address is the messenger's user data, so it does not move.
class Complaints {
 public:
  std::size_t count() const;
  void add(std::string_view id, std::string_view message);
  std::vector<std::string> messages() const;
  // Between true and false, hazards between commands are not collected: a variant without barriers has them on purpose.
  void expect_hazards(bool expected);

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  bool hazards_expected_ = false;
};

class Instance {
 public:
  // Throws Skip if there is no loader or no driver, naming what to install; Error if `validate` and the layer is not installed.
  explicit Instance(bool validate, bool labels = false);
  // How many this process has made. NVIDIA's driver survives only some two dozen (seen with 580.159).
  static std::size_t made();

  const vk::raii::Instance& handle() const { return instance_; }
  // What every device of the machine says about itself, in the loader's order.
  std::vector<DeviceInfo> list() const;
  // The layers between the program and the driver that nobody here has asked for; those that only sort devices are none.
  std::vector<std::string> foreign_layers() const;
  Complaints* complaints() const { return complaints_.get(); }  // nullptr without validation
  bool can_label() const { return can_label_; }                 // VK_EXT_debug_utils is enabled

 private:
  vk::raii::Context loader_;
  std::unique_ptr<Complaints> complaints_;
  bool can_label_ = false;
  vk::raii::Instance instance_;
  std::optional<vk::raii::DebugUtilsMessengerEXT> messenger_;
};

// Of drivers that lack parts of Vulkan, as those over Metal do. Vulkan's headers keep the name among provisional ones.
inline constexpr const char* kPortabilitySubset = "VK_KHR_portability_subset";

// Whether that name is among the extensions that an instance or a device offers.
bool has_extension(std::span<const vk::ExtensionProperties> offered, std::string_view name);

// What helps when the loader is there and no device is.
extern const char* const kNoDriverHint;

}  // namespace bench::vulkan
