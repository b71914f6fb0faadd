// Stands in for NVML: one GPU, whose hardware slows it down for good. By its SONAME the real one is not looked for.
#include <cstdint>
#include <cstring>

// NOLINTBEGIN(readability-identifier-naming): NVML's names
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* /*uuid*/, void** gpu) {
  static int one;
  *gpu = &one;
  return 0;
}
int nvmlDeviceGetClockInfo(void* /*gpu*/, int /*type*/, unsigned* mhz) {
  *mhz = 345;
  return 0;
}
int nvmlDeviceGetPowerUsage(void* /*gpu*/, unsigned* milliwatts) {
  *milliwatts = 412'500;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*gpu*/, unsigned long long* reasons) {
  *reasons = 0x40;  // nvmlClocksThrottleReasonHwThermalSlowdown
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
