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

// A discrete GPU before an integrated one, before a software device; of these, a driver of its own before a translation layer.
int rank(const DeviceInfo& device) {
  return 2 * (device.is_cpu ? 2 : device.is_integrated ? 1 : 0) + (device.is_translated ? 1 : 0);
}

const DeviceInfo* first_fit(const std::vector<DeviceInfo>& devices, const std::string& wish) {
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : devices) {
    if ((wish.empty() || fits(device, wish)) && (best == nullptr || rank(device) < rank(*best))) best = &device;
  }
  return best;
}

// Two software devices are one, too: the host's CPU. Of several drivers for one GPU, the first of the best rank.
const DeviceInfo* same_gpu(const std::vector<DeviceInfo>& devices, const DeviceInfo& other) {
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : devices) {
    const bool is_same =
        (device.uuid && device.uuid == other.uuid) || (device.is_cpu && other.is_cpu && device.api != other.api);
    if (is_same && (best == nullptr || rank(device) < rank(*best))) best = &device;
  }
  return best;
}

// Whether an API before `api` shows this GPU as well.
bool is_listed_before(const DeviceList& listed, const Api& api, const DeviceInfo& device) {
  return std::any_of(listed.of.begin(), listed.of.find(api),
                     [&](const auto& earlier) { return same_gpu(earlier.second.devices, device) != nullptr; });
}

bool wants(const SelectionWish& wish, const Api& api) { return wish.api == "both" || wish.api == api.csv; }

constexpr std::size_t kMostApis = 2;  // that are timed alternately

}  // namespace

std::string Selection::gpu_uuid() const { return named() == nullptr ? "" : uuid_text(named()->uuid); }

bool DeviceList::empty() const {
  return std::all_of(of.begin(), of.end(), [](const auto& one) { return one.second.devices.empty(); });
}

Selection select_devices(const DeviceList& listed, const SelectionWish& wish) {
  Selection selection;
  bool index_is_taken = false;
  for (const auto& [api, listing] : listed.of) {
    if (!wants(wish, api) || selection.devices.size() == kMostApis) continue;
    const DeviceInfo* const first = selection.named();
    const DeviceInfo* chosen = nullptr;
    if (first == nullptr) {
      if (!index_is_taken) chosen = first_fit(listing.devices, wish.device);
      index_is_taken = index_is_taken || (is_index(wish.device) && !listing.devices.empty());
    } else {
      chosen = same_gpu(listing.devices, *first);
      const DeviceInfo* const other = first_fit(listing.devices, "");
      if (chosen == nullptr && other != nullptr) {
        chosen = other;
        selection.unpaired[api] =
            fmt::format("unpaired: {} runs on {}, but the closest {} device is {}{}{}", first->api.name, first->name, api.name,
                        other->name, listing.missing.empty() ? "" : "; ", listing.missing);
      }
    }
    if (chosen != nullptr) selection.devices[api] = *chosen;
  }
  if (!wish.device.empty() && selection.devices.empty()) {
    throw UsageError("--device {} matches none of the devices:\n{}", wish.device, describe_devices(listed));
  }
  // Also by an API that was not asked for.
  for (auto& [api, device] : selection.devices) {
    for (const auto& [other, listing] : listed.of) {
      const DeviceInfo* const same = other == api ? nullptr : same_gpu(listing.devices, device);
      if (same != nullptr && device.l2_bytes == 0) device.l2_bytes = same->l2_bytes;
    }
  }
  return selection;
}

std::string describe_choice(const DeviceList& listed, const Selection& selection) {
  const auto title = [](const DeviceInfo& device) {
    return fmt::format("{} ({} {}{})", device.name, to_string(device.api), device.index,
                       device.is_translated ? ", a translation layer" : "");
  };
  std::vector<std::string> chosen;
  for (const auto& [api, device] : selection.devices) chosen.push_back(title(device));
  std::vector<std::string> others;
  for (const auto& [api, listing] : listed.of) {
    for (const DeviceInfo& device : listing.devices) {
      const auto is_it = [&](const auto& one) {
        const DeviceInfo& taken = one.second;
        return taken.api == device.api ? taken.index == device.index : device.uuid && device.uuid == taken.uuid;
      };
      const auto taken = selection.devices.find(api);
      const bool is_second_driver = taken != selection.devices.end() && taken->second.index != device.index && device.uuid &&
                                    taken->second.uuid == device.uuid;
      if (is_second_driver) others.push_back(title(device));
      if (is_second_driver || std::any_of(selection.devices.begin(), selection.devices.end(), is_it)) continue;
      if (!is_listed_before(listed, api, device)) others.push_back(title(device));
    }
  }
  if (others.empty() || chosen.empty()) return "";
  return fmt::format("runs on {}; --device chooses among it and {}", fmt::join(chosen, " and "), fmt::join(others, ", "));
}

DeviceList list_devices(const std::vector<std::unique_ptr<Backend>>& backends) {
  const Deadline deadline("the listing of the devices", kListingS, WaitFor::kDriver);
  DeviceList listed;
  for (const auto& backend : backends) {
    DeviceListing& found = listed.of[backend->api()];
    found = backend->list();
    for (DeviceInfo& device : found.devices) device.memory_bytes = std::min(device.memory_bytes, memory_limit());
  }
  return listed;
}

std::map<Api, std::string> why_left_out(const DeviceList& listed, const SelectionWish& wish) {
  std::map<Api, std::string> why;
  for (const auto& [api, listing] : listed.of) {
    if (!wants(wish, api)) {
      why[api] = fmt::format("--api left {} out", to_string(api));
    } else if (!listing.reason.empty()) {
      why[api] = listing.reason;
    } else {
      why[api] = fmt::format("no {} device was chosen", to_string(api));
    }
  }
  return why;
}

std::string describe_devices(const DeviceList& listed) {
  const auto line = [](const std::vector<std::string>& indices, std::string_view uuid, std::string_view name) {
    std::string text;
    for (const std::string& index : indices) text += fmt::format("{:<7} ", index);
    return text + fmt::format("{:<37} {}\n", uuid, name);
  };
  std::vector<std::string> heads;
  for (const auto& [api, listing] : listed.of) heads.emplace_back(to_string(api));
  std::string text = line(heads, "uuid", "name");
  for (const auto& [api, listing] : listed.of) {
    for (const DeviceInfo& device : listing.devices) {
      if (is_listed_before(listed, api, device)) continue;
      std::vector<std::string> indices;
      for (const auto& [other, others] : listed.of) {
        const DeviceInfo* const same = other == api ? &device : same_gpu(others.devices, device);
        indices.push_back(same == nullptr ? "-" : std::to_string(same->index));
      }
      text += line(indices, device.uuid ? uuid_text(device.uuid) : "-", device.name + (device.is_cpu ? " (software)" : ""));
    }
  }
  if (listed.empty()) text += "(none)\n";
  return text;
}

}  // namespace bench
