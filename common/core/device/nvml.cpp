#include "core/device/nvml.h"

#include <array>

#include "core/device/device.h"

namespace bench {
namespace {

// From nvml.h, whose numbers are part of the library's ABI; declared here so that no NVIDIA header is needed to build.
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlErrorFunctionNotFound = 13;
constexpr int kNvmlClockSm = 1;
constexpr unsigned kNvmlNvLinkMaxLinks = 18;  // NVML_NVLINK_MAX_LINKS
constexpr int kNvmlFeatureEnabled = 1;
constexpr unsigned kNvmlPowerInstant = 186;  // NVML_FI_DEV_POWER_INSTANT, in mW
constexpr unsigned kNvmlUnsignedInt = 1;     // NVML_VALUE_TYPE_UNSIGNED_INT
constexpr double kMilliwattsAWatt = 1000;
constexpr unsigned kDriverVersionBytes = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE

constexpr std::uint64_t kHwSlowdown = 0x08;
constexpr std::uint64_t kSwThermalSlowdown = 0x20;
constexpr std::uint64_t kHwThermalSlowdown = 0x40;
constexpr std::uint64_t kHwPowerBrakeSlowdown = 0x80;

// nvmlFieldValue_t.
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency_us = 0;
  unsigned type = 0;
  int status = -1;
  union {
    double real;
    unsigned number;
    unsigned long long long_number = 0;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

// nvmlProcessInfo_v2_t, which nvmlDeviceGetComputeRunningProcesses_v3 fills.
struct ProcessInfo {
  unsigned id = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};
static_assert(sizeof(ProcessInfo) == 24);

// nvmlProcessUtilizationSample_t.
struct ProcessSample {
  unsigned id = 0;
  unsigned long long us_since_epoch = 0;
  unsigned sm_percent = 0;
  unsigned memory_percent = 0;
  unsigned encoder_percent = 0;
  unsigned decoder_percent = 0;
};
static_assert(sizeof(ProcessSample) == 32);

// nvmlUtilization_t.
struct Utilization {
  unsigned gpu_percent = 0;
  unsigned memory_percent = 0;
};

}  // namespace

bool is_throttled(std::uint64_t reasons) {
  return (reasons & (kHwSlowdown | kSwThermalSlowdown | kHwThermalSlowdown | kHwPowerBrakeSlowdown)) != 0;
}

template <class... Args>
int Nvml::call(const char* name, Args... args) const {
  auto* function = library_.function<int(Args...)>(name);
  return function != nullptr ? function(args...) : kNvmlErrorFunctionNotFound;
}

Nvml::Nvml(const std::optional<Uuid>& gpu, const char* library) : library_({library}, SharedLibrary::AtEnd::kClose) {
  initialized_ = call("nvmlInit_v2") == kNvmlSuccess;
  if (!initialized_ || !gpu) return;
  const std::string uuid = "GPU-" + uuid_text(gpu);
  void* found = nullptr;
  if (call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &found) == kNvmlSuccess) gpu_ = found;
}

Nvml::~Nvml() noexcept {
  if (initialized_) call("nvmlShutdown");
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, kDriverVersionBytes> text{};
  if (!initialized_ || call("nvmlSystemGetDriverVersion", text.data(), kDriverVersionBytes) != kNvmlSuccess)
    return std::nullopt;
  return std::string(text.data());
}

std::optional<std::uint32_t> Nvml::sm_clock_mhz() const {
  unsigned mhz = 0;
  if (gpu_ == nullptr || call("nvmlDeviceGetClockInfo", gpu_, kNvmlClockSm, &mhz) != kNvmlSuccess) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::power_w() const {
  if (gpu_ == nullptr) return std::nullopt;
  FieldValue instant;
  instant.field = kNvmlPowerInstant;
  if (call("nvmlDeviceGetFieldValues", gpu_, 1, &instant) == kNvmlSuccess && instant.status == kNvmlSuccess &&
      instant.type == kNvmlUnsignedInt) {
    return instant.value.number / kMilliwattsAWatt;
  }
  // An average over a second on Ampere and newer boards. Source: nvml.h, nvmlDeviceGetPowerUsage.
  unsigned milliwatts = 0;
  if (call("nvmlDeviceGetPowerUsage", gpu_, &milliwatts) != kNvmlSuccess) return std::nullopt;
  return milliwatts / kMilliwattsAWatt;
}

std::optional<std::uint32_t> Nvml::nvlinks() const {
  std::uint32_t active = 0;
  for (unsigned link = 0; link < kNvmlNvLinkMaxLinks; ++link) {
    int state = 0;
    if (gpu_ == nullptr || call("nvmlDeviceGetNvLinkState", gpu_, link, &state) != kNvmlSuccess) continue;
    if (state == kNvmlFeatureEnabled) ++active;
  }
  if (active == 0) return std::nullopt;
  return active;
}

std::vector<unsigned> Nvml::compute_processes() const { return processes("nvmlDeviceGetComputeRunningProcesses_v3"); }

std::vector<unsigned> Nvml::graphics_processes() const { return processes("nvmlDeviceGetGraphicsRunningProcesses_v3"); }

std::vector<ProcessUse> Nvml::uses_since(std::uint64_t us_since_epoch) const {
  std::array<ProcessSample, 256> found{};
  auto count = static_cast<unsigned>(found.size());
  // Without any reading since then it is NVML_ERROR_NOT_FOUND.
  if (gpu_ == nullptr || call("nvmlDeviceGetProcessUtilization", gpu_, found.data(), &count,
                              static_cast<unsigned long long>(us_since_epoch)) != kNvmlSuccess) {
    return {};
  }
  std::vector<ProcessUse> uses;
  for (unsigned i = 0; i < count && i < found.size(); ++i) {
    if (found[i].us_since_epoch > us_since_epoch) uses.push_back({.id = found[i].id, .sm_percent = found[i].sm_percent});
  }
  return uses;
}

std::vector<unsigned> Nvml::processes(const char* function) const {
  std::array<ProcessInfo, 64> found{};
  auto count = static_cast<unsigned>(found.size());
  if (gpu_ == nullptr || call(function, gpu_, &count, found.data()) != kNvmlSuccess) return {};
  std::vector<unsigned> ids;
  for (unsigned i = 0; i < count && i < found.size(); ++i) ids.push_back(found[i].id);
  return ids;
}

std::optional<unsigned> Nvml::busy_percent() const {
  Utilization found;
  if (gpu_ == nullptr || call("nvmlDeviceGetUtilizationRates", gpu_, &found) != kNvmlSuccess) return std::nullopt;
  return found.gpu_percent;
}

std::optional<std::uint64_t> Nvml::throttle_reasons() const {
  unsigned long long reasons = 0;
  if (gpu_ == nullptr || call("nvmlDeviceGetCurrentClocksThrottleReasons", gpu_, &reasons) != kNvmlSuccess) return std::nullopt;
  return reasons;
}

}  // namespace bench
