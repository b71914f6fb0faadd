#include "core/run/open_devices.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "core/code/listing.h"
#include "core/code/machine_code.h"
#include "core/device/probe.h"
#include "core/timing/eviction.h"

namespace bench {
namespace {

// A driver's first context on a host with many GPUs, or a device that gives its memory back.
constexpr double kOpeningS = 10;

// One sweep's time, for the account of how busy the GPU was kept: an empty sample with it, less one without.
double measure_eviction(Device& device) {
  const auto nothing = device.prepare(Nothing{}, {});
  const auto wall_s = [&](bool evict) {
    nothing->time_device({.batch = 1, .lead_in = 0, .evict_l2 = evict});
    const double start = now_s();
    nothing->time_device({.batch = 1, .lead_in = 0, .evict_l2 = evict});
    return now_s() - start;
  };
  return std::max(0.0, wall_s(true) - wall_s(false));
}

}  // namespace

OpenDevices::OpenDevices(std::vector<std::unique_ptr<Backend>> backends, Selection selection,
                         const std::map<Api, std::string>& left_out, const Settings& settings)
    : backends_(std::move(backends)),
      selection_(std::move(selection)),
      settings_(settings),
      loaded_clock_(settings.throttled_part) {
  find_gpu();
  for (const auto& backend : backends_) {
    const Api api = backend->api();
    OpenDevice& one = open_[api];
    const auto chosen = selection_.devices.find(api);
    if (chosen == selection_.devices.end()) {
      one.unavailable = left_out.at(api);
      continue;
    }
    one.info = chosen->second;
    if (const auto unpaired = selection_.unpaired.find(api); unpaired != selection_.unpaired.end()) {
      one.unavailable = unpaired->second;
      one.info.driver.clear();  // of a device that is not opened
    } else if (open(*backend, one)) {
      one.info = one.device->info();
    }
  }
  pair_up();
  name_driver();
  if (company_) company_->opened();
  for (const auto& [api, reason] : selection_.unpaired) say(reason);
}

OpenDevices::~OpenDevices() noexcept {
  const Deadline deadline("closing the devices", kOpeningS, WaitFor::kDriver);
  for (auto& [api, open] : open_) {
    open.compiler.reset();
    open.workbench.reset();
    open.device.reset();
  }
}

// The device of open.info as open.vulkan says; false, and `unavailable` says why, if it cannot be had.
bool OpenDevices::open(Backend& backend, OpenDevice& open) const {
  open.unavailable.clear();
  open.failed = false;
  open.can_evict = false;
  open.fixed_costs.clear();
  DeviceOptions options = settings_.device;
  options.vulkan = open.vulkan;
  try {
    const Deadline deadline("opening the device", kOpeningS, WaitFor::kDriver);
    open.device = backend.open(open.info, options);
  } catch (const Skip& skip) {
    open.unavailable = skip.what();
    return false;
  }
  open.workbench = std::make_unique<Workbench>(*open.device, settings_.input_seed, settings_.run_seed);
  open.workbench->use_verified_outputs(verified_outputs_);
  if (open.device->runs()) open.stamp_cost_ns = measure_stamp_cost(*open.device->prepare(Nothing{}, {}));
  return true;
}

// open(), for a device that could be had as it was: an Error is a reason, too.
void OpenDevices::reopen(Backend& backend, OpenDevice& open) const {
  try {
    this->open(backend, open);
  } catch (const Error& error) {
    open.workbench.reset();
    open.device.reset();
    open.unavailable = error.what();
    open.failed = true;
  }
}

void OpenDevices::pair_up() {
  std::vector<Workbench*> both;
  for (auto& [api, open] : open_) {
    if (open.workbench) both.push_back(open.workbench.get());
  }
  for (std::size_t i = 0; i < both.size(); ++i) both[i]->share_with(both.size() == 2 ? both[1 - i] : nullptr);
}

void OpenDevices::find_gpu() {
  const DeviceInfo* named = selection_.named();
  if (named == nullptr || !named->uuid || named->is_cpu) return;
  const Deadline deadline("NVML", kOpeningS, WaitFor::kDriver);
  nvml_.emplace(*named->uuid);
  company_.emplace(*nvml_);
}

// NVML knows the GPU's driver's version by one name for both APIs.
void OpenDevices::name_driver() {
  const auto driver = nvml_ && nvml_->handle() != nullptr ? nvml_->driver_version() : std::nullopt;
  for (auto& [api, open] : open_) {
    if (driver && open.info.uuid == selection_.named()->uuid) open.info.driver = *driver;
  }
}

std::optional<unsigned> OpenDevices::company_since(std::uint64_t us_since_epoch) {
  if (!company_) return std::nullopt;
  const Deadline deadline("NVML");
  return company_->since(us_since_epoch);
}

bool OpenDevices::none() const {
  return std::none_of(open_.begin(), open_.end(), [](const auto& one) { return one.second.device != nullptr; });
}

void OpenDevices::release_buffers() {
  const Deadline deadline("the release of all buffers");
  for (auto& [api, open] : open_) {
    if (open.workbench) open.workbench->release_buffers();
  }
}

void OpenDevices::use_verified_outputs(VerifiedOutputs* outputs) {
  verified_outputs_ = outputs;
  for (auto& [api, open] : open_) {
    if (open.workbench) open.workbench->use_verified_outputs(outputs);
  }
}

bool OpenDevices::is_another(const VulkanChoice& choice) const {
  return std::any_of(backends_.begin(), backends_.end(),
                     [&](const auto& backend) { return backend->is_another(at(backend->api()).vulkan, choice); });
}

bool OpenDevices::use(const VulkanChoice& choice) {
  bool reopened = false;
  for (const auto& backend : backends_) {
    const Api api = backend->api();
    OpenDevice& one = at(api);
    const bool is_wanted = selection_.devices.contains(api) && !selection_.unpaired.contains(api);
    if (!is_wanted || !(backend->is_another(one.vulkan, choice) || one.failed)) continue;
    if (one.device) {
      for (const std::string& complaint : one.device->complaints()) earlier_complaints_.push_back(complaint);
    }
    release_buffers();
    for (auto& [other, open] : open_) {
      if (open.workbench) open.workbench->share_with(nullptr);
    }
    {
      const Deadline deadline(fmt::format("closing the {} device", api.name), kOpeningS, WaitFor::kDriver);
      one.compiler.reset();
      one.workbench.reset();
      one.device.reset();
    }
    one.vulkan = choice;
    reopen(*backend, one);
    reopened = true;
  }
  if (reopened) pair_up();
  return reopened;
}

void OpenDevices::prepare_eviction(std::uint64_t bytes) {
  for (auto& [api, open] : open_) {
    if (!open.device || open.can_evict) continue;
    const Deadline deadline("the set-up of the L2's eviction", kOpeningS, WaitFor::kDriver);
    open.device->set_evict_bytes(bytes);
    open.can_evict = true;
    open.evict_s = measure_eviction(*open.device);
    const Work probe = open.device->cache_probe();
    if (open.info.is_cpu || kernel_of(probe) == nullptr) continue;
    const std::string doubt = eviction_doubt(*open.device->prepare(probe, {}), PROBE_LOADS, bytes);
    if (!doubt.empty()) say(fmt::format("{}: {}", to_string(api), doubt));
  }
}

void OpenDevices::measure_fixed_costs(Cache cache) {
  std::vector<OpenDevice*> sides;
  std::vector<Device*> devices;
  for (auto& [api, open] : open_) {
    if (!open.device) continue;
    sides.push_back(&open);
    devices.push_back(open.device.get());
  }
  const auto is_known = [cache](const OpenDevice* open) { return open->fixed_costs.contains(cache); };
  if (std::all_of(sides.begin(), sides.end(), is_known)) return;
  const std::vector<FixedCost> costs = bench::measure_fixed_costs(devices, cache);
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i]->fixed_costs[cache] = costs[i];
}

Device* OpenDevices::compiler(const Api& api) {
  OpenDevice& one = at(api);
  if (one.compiler || !one.lists_code) return one.compiler.get();
  const auto backend = std::ranges::find(backends_, api, [](const auto& each) { return each->api(); });
  DeviceOptions options = settings_.device;
  options.vulkan = one.vulkan;
  try {
    const Deadline deadline("opening a device for listings", kOpeningS, WaitFor::kDriver);
    one.compiler = (*backend)->open_compiler(one.info, options);
  } catch (const Skip&) {  // it cannot be had: as if nothing were listed
  } catch (const Error&) {
  }
  one.lists_code = one.compiler != nullptr;
  return one.compiler.get();
}

std::string OpenDevices::isa_hash_of(const Api& api, const Kernel& kernel) {
  std::string of_bytes = isa_hash(kernel.code().code);
  if (!of_bytes.empty()) return of_bytes;
  Device* const compiler = this->compiler(api);
  if (compiler == nullptr) return "";
  try {
    return isa_hash(compiler->load(kernel.spec())->code());
  } catch (const Skip&) {
  } catch (const Error&) {
  }
  return "";
}

std::function<ClockReading()> OpenDevices::clock_reader() {
  if (!nvml_) return {};
  return [this] {
    const Deadline deadline("NVML");
    ClockReading reading;
    reading.sm_mhz = nvml_->sm_clock_mhz();
    const bool is_slow = reading.sm_mhz && loaded_clock_.is_slow(*reading.sm_mhz);
    reading.throttled = is_slow || is_throttled(nvml_->throttle_reasons().value_or(0));
    return reading;
  };
}

bool OpenDevices::complained() const {
  std::vector<std::string> complaints = earlier_complaints_;
  for (const auto& [api, open] : open_) {
    if (!open.device) continue;
    for (const std::string& complaint : open.device->complaints()) complaints.push_back(complaint);
  }
  for (const std::string& complaint : complaints) say(complaint);
  return !complaints.empty();
}

}  // namespace bench
