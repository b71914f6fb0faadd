// Which devices a run uses: CUDA and Vulkan must be the same physical GPU.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace bench {

struct Selection {
  std::optional<DeviceInfo> cuda;
  std::optional<DeviceInfo> vulkan;
  std::string unpaired_reason;  // why the two are not the same GPU; empty if they are, or if one is missing

  // The device whose name and clocks stand for the run: CUDA's if there is one; nullptr: there is none at all.
  const DeviceInfo* named() const { return cuda ? &*cuda : vulkan ? &*vulkan : nullptr; }
  // Its UUID as text, or "".
  std::string gpu_uuid() const;
};

struct SelectionWish {
  bool want_cuda = true;
  bool want_vulkan = true;
  std::string device;  // --device: an index, a UUID (or its beginning, with or without "GPU-"), or part of a name; empty: the
                       // first discrete GPU, else the
                       // first integrated one, else a software device
};

// Chooses one device per API from what the backends list. An index counts CUDA's devices if CUDA is wanted and has any, else
// Vulkan's. The Vulkan device is the one whose UUID equals the CUDA device's; if there is none, Vulkan's best device (a
// discrete GPU before an integrated one, before a software device) is taken unpaired, with the reason. Throws UsageError,
// listing what there is, when --device matches nothing.
Selection select_devices(const std::vector<DeviceInfo>& cuda, const std::vector<DeviceInfo>& vulkan, const SelectionWish& wish);

// What the backends list.
struct DeviceList {
  std::map<Api, std::vector<DeviceInfo>> devices;  // an entry for each API, of a backend or not
  std::map<Api, std::string> unavailable = {};     // why a backend lists none
};
DeviceList list_devices(const std::vector<std::unique_ptr<Backend>>& backends);

// Which devices the run takes and which others there are, in one line; "" where there are no others.
std::string describe_choice(const DeviceList& listed, const Selection& selection);

// For each API: why it is left out of the run if the selection has no device of it.
std::map<Api, std::string> why_left_out(const DeviceList& listed, const SelectionWish& wish);

// Both APIs' devices side by side, one line per physical device, for --list-devices.
std::string describe_devices(const std::vector<DeviceInfo>& cuda, const std::vector<DeviceInfo>& vulkan);

}  // namespace bench
