// Stands in for NVML: one GPU, whose hardware slows it down for good; with BENCH_TEST_COMPANY the hardware is well, and a
// process keeps the GPU so busy (in per cent). With BENCH_TEST_GUEST the hardware is well, too, the program itself is process
// 100 from the third list of processes on, and in the second reading of uses process 4711 computes, too; with
// BENCH_TEST_GUEST=elsewhere that reading is of another namespace: nobody has the number that the lists give. By its SONAME the
// real library is not looked for.
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
  static int lists = 0;
  *count = 0;
  if (std::getenv("BENCH_TEST_GUEST") != nullptr && ++lists > 2) found[(*count)++] = {100, 1 << 20, ~0U, ~0U};
  if (std::getenv("BENCH_TEST_COMPANY") != nullptr) found[(*count)++] = {4711, 1 << 20, ~0U, ~0U};
  return 0;
}
struct BenchTestUse {
  unsigned id;
  unsigned long long us_since_epoch;
  unsigned sm, memory, encoder, decoder;
};
int nvmlDeviceGetProcessUtilization(void* /*gpu*/, BenchTestUse* found, unsigned* count, unsigned long long since) {
  static int readings = 0;
  const char* const guest = std::getenv("BENCH_TEST_GUEST");
  if (guest == nullptr) return 3;  // NVML_ERROR_NOT_SUPPORTED
  const bool elsewhere = std::strcmp(guest, "elsewhere") == 0;
  *count = 0;
  found[(*count)++] = {elsewhere ? 7100U : 100U, since + 1, 80, 0, 0, 0};
  if (++readings == 2) found[(*count)++] = {4711, since + 1, 60, 0, 0, 0};
  found[(*count)++] = {4711, since, 60, 0, 0, 0};  // not since then
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
  const bool is_well = std::getenv("BENCH_TEST_GUEST") != nullptr || std::getenv("BENCH_TEST_COMPANY") != nullptr;
  *reasons = is_well ? 0 : 0x40;  // nvmlClocksThrottleReasonHwThermalSlowdown
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
