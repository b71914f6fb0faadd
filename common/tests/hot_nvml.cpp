// Stands in for NVML: one GPU, whose hardware slows it down for good, and, with BENCH_TEST_COMPANY, a process that keeps it so
// busy (in per cent). By its SONAME the real one is not looked for.
#include <cstdint>
#include <cstdlib>
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
struct BenchTestProcess {
  unsigned id;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void* /*gpu*/, unsigned* count, BenchTestProcess* found) {
  *count = std::getenv("BENCH_TEST_COMPANY") != nullptr ? 1 : 0;
  if (*count == 1) *found = {4711, 1 << 20, ~0U, ~0U};
  return 0;
}
struct BenchTestUtilization {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void* /*gpu*/, BenchTestUtilization* found) {
  const char* const busy = std::getenv("BENCH_TEST_COMPANY");
  *found = {busy == nullptr ? 100U : static_cast<unsigned>(std::atoi(busy)), 0};
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*gpu*/, unsigned long long* reasons) {
  *reasons = 0x40;  // nvmlClocksThrottleReasonHwThermalSlowdown
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
