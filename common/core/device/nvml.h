// NVIDIA's management library, loaded at run time: what clock the GPU runs at, and why not faster. Everything is optional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shared_library.h"
#include "core/device/device.h"

namespace bench {

// Whether these reasons (NVML's clocks throttle reasons) slow the GPU by more than its normal management. Counted: hardware
// slowdown, software and hardware thermal slowdown, power brake. Not counted: idle, the software power cap alone (many boards
// run at it), application clocks. Source: nvml.h, nvmlClocksThrottleReason*.
bool is_throttled(std::uint64_t reasons);

// How much of the SMs' time a process took, in one of NVML's readings.
struct ProcessUse {
  unsigned id = 0;
  unsigned sm_percent = 0;
};

// One GPU in NVML. Without the library, its driver, or the GPU in it (a MIG instance), every query returns nullopt. Never
// throws, std::bad_alloc aside.
class Nvml {
 public:
  explicit Nvml(const std::optional<Uuid>& gpu, const char* library = "libnvidia-ml.so.1");
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() noexcept;

  // The GPU's nvmlDevice_t; nullptr if there is none.
  void* handle() const noexcept { return gpu_; }

  std::optional<std::string> driver_version() const;  // e.g. "580.159.04"
  std::optional<std::uint32_t> sm_clock_mhz() const;  // now
  std::optional<double> power_w() const;              // the board's, now; where only an average is to be had, that
  std::optional<std::uint32_t> nvlinks() const;       // active links, wherever they lead; nullopt for a GPU without any
  std::vector<unsigned> compute_processes() const;    // ids, as NVML sees them, of those with a compute context on the GPU
  std::vector<unsigned> graphics_processes() const;   // likewise, with a context that can draw: a display, Vulkan
  // What NVML read of each process since then; empty where it does not tell. It reads a few times per second.
  std::vector<ProcessUse> uses_since(std::uint64_t us_since_epoch) const;
  std::optional<unsigned> busy_percent() const;           // of the last second or less, that some kernel ran
  std::optional<std::uint64_t> throttle_reasons() const;  // a bit mask, see is_throttled; 0: none

 private:
  // Calls the library's function of this name. Returns its nvmlReturn_t: 0 is success.
  template <class... Args>
  int call(const char* name, Args... args) const;
  std::vector<unsigned> processes(const char* function) const;

  SharedLibrary library_;
  void* gpu_ = nullptr;
  bool initialized_ = false;
};

}  // namespace bench
