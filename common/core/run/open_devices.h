// The devices of a run while they are open: one of each of two APIs, on the same GPU where that can be had.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/device/gpu_claim.h"
#include "core/device/nvml.h"
#include "core/device/selection.h"
#include "core/experiment/workbench.h"
#include "core/timing/fixed_cost.h"
#include "core/timing/sampler.h"

namespace bench {

// Whether a clock after a sample is slow beside what the GPU runs at under load: the highest reading so far. Its maximum would
// not do: a GPU that is locked to a lower clock never gets there.
class LoadedClock {
 public:
  // Slow is less than `part` of it; 0: nothing is.
  explicit LoadedClock(double part) : part_(part) {}
  bool is_slow(double mhz) {
    highest_mhz_ = std::max(highest_mhz_, mhz);
    return mhz < part_ * highest_mhz_;
  }

 private:
  double part_;
  double highest_mhz_ = 0;
};

// One API's device, opened, with what belongs to it.
struct OpenDevice {
  DeviceInfo info;
  std::string unavailable;  // why `device` is null
  bool failed = false;      // by an Error, not for want of something: its rows have failed
  std::unique_ptr<Device> device;
  std::unique_ptr<Workbench> workbench;
  double stamp_cost_ns = 0;
  double evict_s = 0;  // one sweep of the L2 evictor
  bool can_evict = false;
  std::map<Cache, FixedCost> fixed_costs = {};  // see OpenDevices::measure_fixed_costs
  VulkanChoice vulkan;                          // what it was opened with
  std::unique_ptr<Device> compiler;             // see OpenDevices::isa_hash_of(); null until it is wanted
  bool lists_code = true;                       // as far as is known
};

class OpenDevices {
 public:
  struct Settings {
    DeviceOptions device;  // without DeviceOptions::vulkan, for which there is use()
    std::uint64_t input_seed = 1;
    std::uint64_t run_seed = 1;
    double throttled_part = 0.75;  // see LoadedClock
  };

  // Opens what the selection names, and says on stderr if the two are not the same GPU. `left_out` says why an API that it does
  // not name has no device. Throws what Backend::open does, Skip aside: that is a reason.
  OpenDevices(std::vector<std::unique_ptr<Backend>> backends, Selection selection, const std::map<Api, std::string>& left_out,
              const Settings& settings);

  OpenDevices(const OpenDevices&) = delete;
  OpenDevices& operator=(const OpenDevices&) = delete;
  ~OpenDevices() noexcept;

  OpenDevice& at(const Api& api) { return open_.at(api); }
  const OpenDevice& at(const Api& api) const { return open_.at(api); }
  // Every API's, with or without a device.
  std::map<Api, OpenDevice>& all() { return open_; }
  const std::map<Api, OpenDevice>& all() const { return open_; }
  bool none() const;
  const Selection& selection() const { return selection_; }

  // Opens a device anew if it is another one with this choice, and returns whether it did: its kernels and buffers are then
  // gone, and the other API's buffers too. What it complained about so far is kept. What fails is tried again by the next call.
  bool use(const VulkanChoice& vulkan);
  // Whether use() would be about another device than the one that was wanted last.
  bool is_another(const VulkanChoice& vulkan) const;
  void release_buffers();
  // See Workbench::use_verified_outputs.
  void use_verified_outputs(VerifiedOutputs* outputs);

  // Makes every device able to evict its L2; the first call allocates.
  void prepare_eviction(std::uint64_t bytes);
  // Finds out every device's fixed costs, the first time that a kind of samples is asked for. Cold: after prepare_eviction().
  void measure_fixed_costs(Cache cache);
  // The named GPU's SM clock; empty where NVML cannot tell. Not to be used longer than this object.
  std::function<ClockReading()> clock_reader();
  // Of the code of a kernel that was loaded on that API's device. Where the driver gives out no bytes, of what it lists of the
  // same kernel, compiled once more on a device of its own: on the one that is timed nothing is enabled for listings. "": it
  // does neither. For use between two cases.
  std::string isa_hash_of(const Api& api, const Kernel& kernel);
  // Another process that computed on the named GPU since then; see Company.
  std::optional<unsigned> company_since(std::uint64_t us_since_epoch);

  // Says what the devices complained about; true if they did.
  bool complained() const;

 private:
  bool open(Backend& backend, OpenDevice& open) const;
  void reopen(Backend& backend, OpenDevice& open) const;
  Device* compiler(const Api& api);
  void pair_up();
  void find_gpu();
  void name_driver();

  std::vector<std::unique_ptr<Backend>> backends_;
  Selection selection_;
  Settings settings_;
  VerifiedOutputs* verified_outputs_ = nullptr;
  std::map<Api, OpenDevice> open_;
  std::optional<Nvml> nvml_;
  std::optional<Company> company_;
  LoadedClock loaded_clock_;
  std::vector<std::string> earlier_complaints_;  // of devices that are closed
};

}  // namespace bench
