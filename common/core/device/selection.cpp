#include "core/device/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/watchdog.h"

namespace bench {
namespace {

constexpr double kListingS = 10;  // the first call of a driver on a host with many GPUs

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_index(const std::string& wish) {
  return !wish.empty() && wish.size() <= 3 &&
         std::all_of(wish.begin(), wish.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool fits(const DeviceInfo& device, const std::string& wish) {
  if (is_index(wish)) return device.index == std::stoi(wish);
  std::string text = lower(wish);
  if (text.starts_with("gpu-")) text = text.substr(4);
  if (text.size() >= 4 && uuid_text(device.uuid).starts_with(text)) return true;
  return lower(device.name).find(lower(wish)) != std::string::npos;
}

// A discrete GPU before an integrated one, before a software device.
int rank(const DeviceInfo& device) { return device.is_cpu ? 2 : device.is_integrated ? 1 : 0; }

const DeviceInfo* first_fit(const std::vector<DeviceInfo>& devices, const std::string& wish) {
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : devices) {
    if ((wish.empty() || fits(device, wish)) && (best == nullptr || rank(device) < rank(*best))) best = &device;
  }
  return best;
}

const DeviceInfo* same_gpu(const std::vector<DeviceInfo>& devices, const DeviceInfo& other) {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const DeviceInfo& device) { return device.uuid && device.uuid == other.uuid; });
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace

std::string Selection::gpu_uuid() const { return named() == nullptr ? "" : uuid_text(named()->uuid); }

Selection select_devices(const std::vector<DeviceInfo>& cuda, const std::vector<DeviceInfo>& vulkan,
                         const SelectionWish& wish) {
  Selection selection;
  const DeviceInfo* cuda_device = wish.want_cuda ? first_fit(cuda, wish.device) : nullptr;
  const DeviceInfo* vulkan_device = nullptr;
  const bool is_cuda_index = wish.want_cuda && !cuda.empty() && is_index(wish.device);
  if (wish.want_vulkan && cuda_device != nullptr) {
    vulkan_device = same_gpu(vulkan, *cuda_device);
    const DeviceInfo* other = first_fit(vulkan, "");
    if (vulkan_device == nullptr && other != nullptr) {
      vulkan_device = other;
      selection.unpaired_reason = fmt::format(
          "unpaired: CUDA runs on {}, but the closest Vulkan device is {}; install the GPU's Vulkan driver (in a container: "
          "its "
          "graphics driver files, NVIDIA_DRIVER_CAPABILITIES=all)",
          cuda_device->name, other->name);
    }
  } else if (wish.want_vulkan && !is_cuda_index) {
    vulkan_device = first_fit(vulkan, wish.device);
  }
  if (!wish.device.empty() && cuda_device == nullptr && vulkan_device == nullptr) {
    throw UsageError("--device {} matches none of the devices:\n{}", wish.device, describe_devices(cuda, vulkan));
  }
  if (cuda_device != nullptr) selection.cuda = *cuda_device;
  if (vulkan_device != nullptr) {
    selection.vulkan = *vulkan_device;
    // Also of a CUDA device that was not asked for.
    if (const DeviceInfo* same = same_gpu(cuda, *vulkan_device); same != nullptr && selection.vulkan->l2_bytes == 0)
      selection.vulkan->l2_bytes = same->l2_bytes;
  }
  return selection;
}

std::string describe_choice(const DeviceList& listed, const Selection& selection) {
  const auto title = [](const DeviceInfo& device) {
    return fmt::format("{} ({} {})", device.name, to_string(device.api), device.index);
  };
  std::vector<std::string> chosen;
  for (const auto& one : {selection.cuda, selection.vulkan}) {
    if (one) chosen.push_back(title(*one));
  }
  std::vector<std::string> others;
  for (const Api api : {Api::kCuda, Api::kVulkan}) {
    for (const DeviceInfo& device : listed.devices.at(api)) {
      const auto is_it = [&](const std::optional<DeviceInfo>& one) {
        return one && ((one->api == api && one->index == device.index) || (device.uuid && device.uuid == one->uuid));
      };
      if (is_it(selection.cuda) || is_it(selection.vulkan)) continue;
      if (api == Api::kVulkan && same_gpu(listed.devices.at(Api::kCuda), device) != nullptr) continue;
      others.push_back(title(device));
    }
  }
  if (others.empty() || chosen.empty()) return "";
  return fmt::format("runs on {}; --device chooses among it and {}", fmt::join(chosen, " and "), fmt::join(others, ", "));
}

DeviceList list_devices(const std::vector<std::unique_ptr<Backend>>& backends) {
  const Deadline deadline("the listing of the devices", kListingS, WaitFor::kDriver);
  DeviceList listed{.devices = {{Api::kCuda, {}}, {Api::kVulkan, {}}}};
  for (const auto& backend : backends) {
    std::vector<DeviceInfo>& devices = listed.devices[backend->api()];
    const DeviceListing found = backend->list();
    devices = found.devices;
    for (DeviceInfo& device : devices) device.memory_bytes = std::min(device.memory_bytes, memory_limit());
    if (devices.empty()) listed.unavailable[backend->api()] = found.reason;
  }
  return listed;
}

std::map<Api, std::string> why_left_out(const DeviceList& listed, const SelectionWish& wish) {
  const auto why = [&](Api api, bool wanted) {
    if (!wanted) return fmt::format("--api left {} out", to_string(api));
    const auto found = listed.unavailable.find(api);
    if (found != listed.unavailable.end() && !found->second.empty()) return found->second;
    return fmt::format("no {} device was chosen", to_string(api));
  };
  return {{Api::kCuda, why(Api::kCuda, wish.want_cuda)}, {Api::kVulkan, why(Api::kVulkan, wish.want_vulkan)}};
}

std::string describe_devices(const std::vector<DeviceInfo>& cuda, const std::vector<DeviceInfo>& vulkan) {
  const auto line = [](const DeviceInfo* c, const DeviceInfo* v) {
    const DeviceInfo& any = c != nullptr ? *c : *v;
    return fmt::format("{:<7} {:<7} {:<37} {}\n", c != nullptr ? fmt::format("{}", c->index) : "-",
                       v != nullptr ? fmt::format("{}", v->index) : "-", any.uuid ? uuid_text(any.uuid) : "-", any.name);
  };
  std::string text = fmt::format("{:<7} {:<7} {:<37} {}\n", "cuda", "vulkan", "uuid", "name");
  for (const DeviceInfo& device : cuda) text += line(&device, same_gpu(vulkan, device));
  for (const DeviceInfo& device : vulkan) {
    if (same_gpu(cuda, device) == nullptr) text += line(nullptr, &device);
  }
  if (cuda.empty() && vulkan.empty()) text += "(none)\n";
  return text;
}

}  // namespace bench
