// Who measures on a GPU: one program of this host at a time, whatever it writes and from which checkout it comes.
#pragma once

#include <string>

#include "core/base/file_descriptor.h"
#include "core/device/device.h"

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

}  // namespace bench
