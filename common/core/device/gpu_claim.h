// Who measures on a GPU: one program of this host at a time, whatever it writes and from which checkout it comes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "core/base/file_descriptor.h"
#include "core/device/device.h"
#include "core/device/nvml.h"

namespace bench {

// Of a GPU, until it goes. The file is scripts/benchlib/runner/lock.py's, so a run.sh that is at work keeps programs away, too,
// its own aside, to which BENCH_GPU_LOCK names the GPU that it holds.
class GpuClaim {
 public:
  // Throws Error if somebody else measures on the GPU, or if NVML says that another process keeps it busy. A software device,
  // and a GPU without a UUID, may be had by everyone.
  explicit GpuClaim(const DeviceInfo& gpu);

 private:
  FileDescriptor file_;
};

// Who else computes on a GPU while this program measures on it: a process that began after GpuClaim looked. What draws (a
// display) is not counted.
class Company {
 public:
  // Before this program has opened the GPU. `nvml` outlives this object.
  explicit Company(const Nvml& nvml) : nvml_(nvml), before_(all()) {}
  // When it has: the processes that came since then are this program, under whatever id NVML knows it.
  void opened();
  // A process of which NVML says that it used the SMs since then. Nothing until NVML has read this program's own use: where it
  // tells processes by other ids in its two lists, none of them is believed.
  std::optional<unsigned> since(std::uint64_t us_since_epoch);

 private:
  std::set<unsigned> all() const;

  const Nvml& nvml_;
  std::set<unsigned> before_;
  std::set<unsigned> own_;
  bool has_read_own_ = false;
};

}  // namespace bench
