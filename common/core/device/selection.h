// Which devices a run uses: those of its two APIs must be the same physical GPU.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace bench {

struct Selection {
  std::map<Api, DeviceInfo> devices;         // two at most
  std::map<Api, std::string> unpaired = {};  // of these, one that is not the first one's GPU, and why

  // The device whose name and clocks stand for the run: the first API's; nullptr: there is none at all.
  const DeviceInfo* named() const { return devices.empty() ? nullptr : &devices.begin()->second; }
  // Its UUID as text, or "".
  std::string gpu_uuid() const;
};

struct SelectionWish {
  std::string api = "both";  // or the one, as the CSV spells it
  std::string device;  // --device: an index, a UUID (or its beginning, with or without "GPU-"), or part of a name; empty: the
                       // first discrete GPU, else the
                       // first integrated one, else a software device
};

// What the backends list.
struct DeviceList {
  std::map<Api, DeviceListing> of = {};  // an entry for each backend's API

  const std::vector<DeviceInfo>& devices(const Api& api) const { return of.at(api).devices; }
  bool empty() const;
};
DeviceList list_devices(const std::vector<std::unique_ptr<Backend>>& backends);

// Chooses a device of each of two wanted APIs. The first API's is the one that the wish names; an index counts the devices of
// the first wanted API that has any. The other API's has the same UUID, or both are software devices; if there is none, that
// API's best device (a discrete GPU before an integrated one, before a software device) is taken unpaired, with the reason.
// Throws UsageError, listing what there is, when --device matches nothing.
Selection select_devices(const DeviceList& listed, const SelectionWish& wish);

// Which devices the run takes and which others there are, in one line; "" where there are no others.
std::string describe_choice(const DeviceList& listed, const Selection& selection);

// For each API: why it is left out of the run if the selection has no device of it.
std::map<Api, std::string> why_left_out(const DeviceList& listed, const SelectionWish& wish);

// The APIs' devices side by side, one line per physical device, for --list-devices.
std::string describe_devices(const DeviceList& listed);

}  // namespace bench
